package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// injected are the names, without TYPUS_, that Kubernetes adds to a pod for each
// Service of its namespace whose name begins with typus,
// https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables.
var injected = regexp.MustCompile(`^([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)

// byKubernetes reports whether a name stems from there and not from an operator.
// TYPUS_PORT=8080 does not: the address of a Service has a scheme.
func byKubernetes(name, value string) bool {
	if name == "PORT" || strings.HasSuffix(name, "_PORT") {
		scheme, _, found := strings.Cut(value, "://")
		if found && slices.Contains([]string{"tcp", "udp", "sctp"}, scheme) {
			return true
		}
	}
	return injected.MatchString(name)
}

// otherNames are what other programs call a setting.
var otherNames = map[string]string{
	"PORT": "ADDR", "HOST": "ADDR", "LISTEN": "ADDR", "BIND": "ADDR", "DB": "DATABASE", "DSN": "DATABASE",
	"URL": "BASE_URL", "ORIGIN": "BASE_URL", "PUBLIC_URL": "BASE_URL", "MAILER": "SMTP_URL", "KEY": "SECRET_KEY",
}

// nearest is the setting that a wrong name was most likely meant to be.
func nearest(name string, known []string) string {
	name = strings.ToUpper(name)
	if meant, ok := otherNames[name]; ok && slices.Contains(known, meant) {
		return meant
	}
	best, least := "", 1<<30
	for _, candidate := range known {
		if d := distance(plainName(name), plainName(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// nameNearestFlag adds to a flag that is unknown the one that was most likely meant.
func nameNearestFlag(c *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || len(unknown.GetSpecifiedName()) < 2 {
		return err
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, envName(f.Name)) })
	return usageError(err.Error() + "; did you mean --" + flagName(nearest(envName(unknown.GetSpecifiedName()), known)) + "?")
}

func envName(flag string) string {
	return strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func plainName(name string) string { return strings.ReplaceAll(name, "_", "") }

// distance is twice the number of letters to insert, drop or change to get from one
// word to the other. If one word contains the other (DATABASE_URL and DATABASE), it is
// half of that; if a is the beginning of b (SECRET and SECRET_KEY), a quarter.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = 2 * j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = 2 * (i + 1)
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change += 2
			}
			before, row[j+1] = row[j+1], min(change, row[j+1]+2, row[j]+2)
		}
	}
	switch {
	case strings.HasPrefix(b, a):
		return row[len(b)] / 4
	case strings.Contains(a, b) || strings.Contains(b, a):
		return row[len(b)] / 2
	}
	return row[len(b)]
}
