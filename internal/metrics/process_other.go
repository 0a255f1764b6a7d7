//go:build !linux

package metrics

// tellProcess says nothing: how a process is doing is read on Linux only.
func tellProcess(*text) {}
