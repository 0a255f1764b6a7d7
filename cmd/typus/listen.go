package main

import (
	"errors"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"typus"
)

// listen opens the address of the server before anything is written. Conflict says
// in words why it cannot be had.
func listen(addr string) (net.Listener, error) { return listenAs("ADDR", addr) }

// listenAs is listen for another setting.
func listenAs(setting, addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		return ln, nil
	}
	refuse := func(format string) error {
		given := envPrefix + setting + " or --" + flagName(setting)
		return typus.Errorf(typus.Conflict, strings.ReplaceAll(format, "TYPUS_ADDR or --addr", given), addr)
	}
	_, unknown := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, refuse("another program listens on %s already, perhaps another typus serve; end it, or choose another address with TYPUS_ADDR or --addr")
	case errors.Is(err, fs.ErrPermission):
		return nil, refuse("this user may not listen on %s; ports below 1024 are root's: choose another with TYPUS_ADDR or --addr, with a proxy in front, or give the program CAP_NET_BIND_SERVICE")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, refuse("this machine does not have the address of %s; correct TYPUS_ADDR or --addr (0.0.0.0 stands for all of its addresses)")
	case unknown:
		return nil, refuse("there is no host as in %s; correct TYPUS_ADDR or --addr")
	}
	return nil, refuse("cannot listen on %s; choose another address with TYPUS_ADDR or --addr")
}
