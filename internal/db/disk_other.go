//go:build !linux

package db

// networkDisk is known on Linux only.
func networkDisk(string) string { return "" }
