//go:build dev

package page

import (
	"io/fs"
	"os"
)

// Live says that pages are made of files that change.
const Live = true

// Source is where a package has its templates, texts and static files: below directory,
// which is named from the repository's root, or in the program when it runs elsewhere.
func Source(embedded fs.FS, directory string) fs.FS {
	if info, err := os.Stat(directory); err != nil || !info.IsDir() {
		return embedded
	}
	return os.DirFS(directory)
}
