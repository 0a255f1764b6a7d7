package db

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// unacknowledged is how long, in milliseconds, sent bytes may stay unacknowledged by
// the other side before the connection counts as lost. Keep-alive does not notice that,
// because it is silent while data is on its way.
const unacknowledged = 10_000

// limitUnacknowledged sets that limit on a new connection.
func limitUnacknowledged(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, unacknowledged)
	})
	return errors.Join(err, failed)
}
