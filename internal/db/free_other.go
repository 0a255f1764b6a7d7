//go:build !linux && !darwin

package db

// FreeSpace is known on Linux and macOS only.
func FreeSpace(string) (int64, bool) { return 0, false }
