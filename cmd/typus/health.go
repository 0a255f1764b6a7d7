package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"typus"
)

// healthPatience is how long a server may take to say how it is: less than the half minute
// that container engines grant by default, and more than a database is waited for.
const healthPatience = 20 * time.Second

// healthCommand asks as a container engine, a probe or a script does that has no HTTP client
// beside it.
func (a *app) healthCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "health",
		Short: "Ask the server at the address of these settings whether it can work; exit code 0 means yes",
		Args:  cobra.NoArgs,
	}
	addSettings(c, "ADDR")
	c.RunE = func(c *cobra.Command, _ []string) error {
		settings, err := loadSettings(c.Flags(), a.environ)
		if err != nil {
			return err
		}
		return a.health(c.Context(), "http://"+near(settings.Addr))
	}
	return c
}

// askHealth asks the server at an origin how it is: on a connection of its own, and by no
// proxy of the environment.
func askHealth(ctx context.Context, origin string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/healthz", nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	return transport.RoundTrip(req)
}

func (a *app) health(ctx context.Context, origin string) error {
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	address := origin + "/healthz"
	resp, err := askHealth(ctx, origin)
	if err != nil {
		return &typus.Error{Kind: typus.Unavailable, Msg: "no server answers at " + address + "; is TYPUS_ADDR that of the server?", Cause: err}
	}
	defer resp.Body.Close()
	var said struct {
		OK       bool   `json:"ok"`
		Version  string `json:"version"`
		Database string `json:"database"`
	}
	err = json.UnmarshalRead(io.LimitReader(resp.Body, 1<<16), &said)
	switch {
	case err != nil || said.Database == "":
		return &typus.Error{Kind: typus.Unavailable, Msg: "what answers at " + address + " is not Typus", Cause: err}
	case !said.OK || resp.StatusCode != http.StatusOK:
		return &typus.Error{Kind: typus.Unavailable, Msg: "the server at " + address + " cannot reach its database; its log says why"}
	}
	return a.print(said, fmt.Sprintf("the server at %s works: typus %s on %s", address, said.Version, said.Database))
}

// near is the address at which this machine reaches a server that listens on addr: a server
// on all addresses is asked at loopback.
func near(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.Is4() && ip.IsUnspecified() {
		host = "127.0.0.1"
	} else if err == nil && ip.IsUnspecified() {
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
