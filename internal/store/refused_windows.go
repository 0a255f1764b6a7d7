package store

import (
	"io/fs"
	"os"
)

// writable leaves the question to the first file that is made.
func writable(string) error { return nil }

// currentUser is whom the process runs as.
func currentUser() string { return os.Getenv("USERNAME") }

func ownerOf(fs.FileInfo) string { return "somebody else's" }
