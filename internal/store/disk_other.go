//go:build !linux

package store

// networkDisk is known on Linux only.
func networkDisk(string) string { return "" }
