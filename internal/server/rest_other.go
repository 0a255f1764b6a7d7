//go:build !linux

package server

// forgetProgram does nothing here.
func forgetProgram() {}
