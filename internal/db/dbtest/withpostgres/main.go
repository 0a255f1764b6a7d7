// Command withpostgres runs a command while a temporary PostgreSQL server is up,
// so that the tests of many packages share one.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"typus/internal/db/dbtest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres command [argument …]")
		os.Exit(2)
	}
	os.Exit(run(os.Args[1:]))
}

func run(command []string) int {
	environ := os.Environ()
	if os.Getenv(dbtest.Variable) == "" {
		server, err := dbtest.StartPostgres()
		if err != nil {
			fmt.Fprintln(os.Stderr, "withpostgres:", err)
			return 1
		}
		defer server.Stop()
		environ = append(environ, dbtest.Variable+"="+server.URL)
	}
	cmd := exec.CommandContext(context.Background(), command[0], command[1:]...) //nolint:gosec // to run a command is what this is for
	cmd.Env = environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		return 1
	}
	return 0
}
