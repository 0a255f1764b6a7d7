package webhook

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
)

// vector is one line of testdata/ssrf_vectors.tsv. The kinds url, ip and dial
// are judged by the strict default, self-url and self-ip by a self-hoster's policy.
type vector struct {
	kind, value, network string
	allow                bool
}

func vectors(t *testing.T) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/ssrf_vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	escapes := strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\s`, " ")
	var list []vector
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		v := vector{kind: fields[0], value: escapes.Replace(fields[1]), allow: fields[2] == "allow"}
		if len(fields) > 3 {
			v.network = fields[3]
		}
		list = append(list, v)
	}
	if len(list) != 133 {
		t.Fatalf("%d vectors, want 133", len(list))
	}
	return list
}

func selfHoster() Policy {
	return Policy{AllowHTTP: true, AllowNets: prefixes("10.20.0.0/16", "fd12:3456::/32")}
}

func guardOf(v vector) *Guard {
	if strings.HasPrefix(v.kind, "self-") {
		return NewGuard(selfHoster())
	}
	return NewGuard(Policy{})
}

func urlOf(v vector) string {
	switch {
	case strings.HasSuffix(v.kind, "url"):
		return v.value
	case strings.Contains(v.value, ":"):
		return "https://[" + strings.ReplaceAll(v.value, "%", "%25") + "]/"
	}
	return "https://" + v.value + "/"
}

func TestAllVectorsAreJudgedWhenAnAddressIsSaved(t *testing.T) {
	for _, v := range vectors(t) {
		if v.kind == "dial" {
			continue
		}
		got, err := guardOf(v).CheckURL(urlOf(v))
		if (err == nil) != v.allow {
			t.Errorf("%s %q: %q, %v; want allow = %t", v.kind, urlOf(v), got, err, v.allow)
		}
		if err != nil && (typus.KindOf(err) != typus.Invalid || got != "") {
			t.Errorf("%s %q: the refusal is %q, %v", v.kind, urlOf(v), got, err)
		}
	}
}

func TestAllVectorsAreJudgedAtTheDial(t *testing.T) {
	for _, v := range vectors(t) {
		network, addr := v.network, v.value
		switch {
		case strings.HasSuffix(v.kind, "url"):
			continue
		case v.kind != "dial":
			network, addr = "tcp4", net.JoinHostPort(v.value, "443")
		}
		err := newDialer(guardOf(v), time.Second).control(context.Background(), network, addr, nil)
		if (err == nil) != v.allow {
			t.Errorf("%s %s %s: %v; want allow = %t", v.kind, network, addr, err, v.allow)
		}
	}
}

// The vectors that are blocked go through the whole client: nothing may be
// connected to. Those that are allowed end at a dialer that notes the address.
func TestAllVectorsAreJudgedByAPost(t *testing.T) {
	for _, v := range vectors(t) {
		if v.kind == "dial" {
			continue
		}
		dialled := ""
		c, err := NewClient(ClientOptions{Guard: guardOf(v), Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
			dialled = addr
			return nil, errors.New("far enough")
		}})
		if err != nil {
			t.Fatal(err)
		}
		out := c.Post(t.Context(), Request{URL: urlOf(v), Secrets: map[typus.SecretRole]string{typus.SecretCurrent: vectorSecret}})
		want := CodeBlocked
		if v.allow {
			want = CodeConnect
		}
		if out.Attempt.ErrorCode != want || (dialled != "") != v.allow {
			t.Errorf("%s %q: code %s, dialled %q; want %s", v.kind, urlOf(v), out.Attempt.ErrorCode, dialled, want)
		}
	}
}

func TestAnAddressIsSavedInItsCanonicalForm(t *testing.T) {
	for raw, want := range map[string]string{
		"https://HOOKS.Example.COM/a":             "https://hooks.example.com/a",
		"HTTPS://hooks.example.com/A?B=c":         "https://hooks.example.com/A?B=c",
		"https://hooks.example.com./a":            "https://hooks.example.com/a",
		"https://hooks.example.com":               "https://hooks.example.com/",
		"https://hooks.example.com?x=1":           "https://hooks.example.com/?x=1",
		"https://hooks.example.com:443/a":         "https://hooks.example.com/a",
		"https://hooks.example.com:8443/a?x=1":    "https://hooks.example.com:8443/a?x=1",
		"https://bücher.de/a":                     "https://xn--bcher-kva.de/a",
		"https://b%C3%BCcher.de/a":                "https://xn--bcher-kva.de/a",
		"https://faß.de/":                         "https://xn--fa-hia.de/",
		"https://hooks.example.com/größe?ü=\"ß\"": "https://hooks.example.com/gr%C3%B6%C3%9Fe?%C3%BC=%22%C3%9F%22",
		"https://hooks.example.com/a%2Fb%20c":     "https://hooks.example.com/a%2Fb%20c",
		"https://[2606:4700:4700:0::1111]:443/a":  "https://[2606:4700:4700::1111]/a",
		"https://[::ffff:8.8.8.8]/a":              "https://8.8.8.8/a",
		"https://my_hook.example.com/":            "https://my_hook.example.com/",
		"https://r3---sn.example.com/":            "https://r3---sn.example.com/",
	} {
		got, err := NewGuard(Policy{}).CheckURL(raw)
		if err != nil || got != want {
			t.Errorf("CheckURL(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
}

func TestARefusalSaysWhyAndWhichSettingHelps(t *testing.T) {
	for raw, want := range map[string]Refusal{
		"":                                                      RefusedForm,
		"hooks.example.com/a":                                   RefusedForm,
		"https://hooks.example.com/%zz":                         RefusedForm,
		"https:///a":                                            RefusedForm,
		"ftp://hooks.example.com/":                              RefusedScheme,
		"http://hooks.example.com/":                             RefusedHTTP,
		"http://hooks.example.com:25/":                          RefusedHTTP,
		"http://10.0.0.5:5678/h":                                RefusedPrivateHTTP,
		"http://[fd12:3456::9]/h":                               RefusedPrivateHTTP,
		"http://localhost:5678/h":                               RefusedPrivateHTTP,
		"http://n8n:5678/h":                                     RefusedPrivateHTTP,
		"http://n8n.local/h":                                    RefusedPrivateHTTP,
		"http://127.1/h":                                        RefusedNumber,
		"http://hooks..example.com/":                            RefusedHost,
		"http://hooks.example.com:0443/":                        RefusedPort,
		"https://me:pw@hooks.example.com/":                      RefusedUserinfo,
		"https://hooks.example.com/#":                           RefusedFragment,
		"https://hooks.example.com/a b":                         RefusedCharacters,
		"https://hooks.example.com/a\u00a0b":                    RefusedCharacters,
		"https://hooks.example.com/\xff":                        RefusedCharacters,
		"https://hooks.exam\u202eple.com/":                      RefusedCharacters,
		"https://hooks..example.com/":                           RefusedHost,
		"https://-hooks.example.com/":                           RefusedHost,
		"https://hooks!.example.com/":                           RefusedHost,
		"https://" + long(64) + ".example.com":                  RefusedHost,
		"https://:8443/":                                        RefusedHost,
		"https://127.1/":                                        RefusedNumber,
		"https://hooks.example.0x7f/":                           RefusedNumber,
		"https://hooks.example.com:0443/":                       RefusedPort,
		"https://hooks.example.com:25/":                         RefusedClosedPort,
		"https://crm.internal/":                                 RefusedLocalName,
		"https://n8n/":                                          RefusedLocalName,
		"https://localhost/":                                    RefusedPrivate,
		"https://192.168.1.10/":                                 RefusedPrivate,
		"https://hooks.example.com/" + long(2048-25):            RefusedLength,
		"https://hooks.example.com/" + strings.Repeat("ü", 600): RefusedLength, // once encoded
	} {
		_, err := NewGuard(Policy{}).CheckURL(raw)
		if got, _ := errors.AsType[Refusal](err); got != want {
			t.Errorf("CheckURL(%.60q) is refused for %q, want %q", raw, got, want)
			continue
		}
		e, _ := errors.AsType[*typus.Error](err)
		if e.Msg == "" || len(e.Fields) != 1 || e.Fields[0].Name != "url" || e.Fields[0].Msg != e.Msg {
			t.Errorf("CheckURL(%.60q): the error %+v does not explain the field", raw, e)
		}
	}
}

// Each setting that a refusal names is needed, and together they are enough.
func TestTheSettingsThatARefusalNamesOpenTheAddress(t *testing.T) {
	name := regexp.MustCompile(`TYPUS_WEBHOOK_ALLOW_[A-Z]+`)
	for raw, want := range map[string][]string{
		"http://hooks.example.com/":     {"TYPUS_WEBHOOK_ALLOW_HTTP"},
		"https://hooks.example.com:25/": {"TYPUS_WEBHOOK_ALLOW_PORTS"},
		"https://10.0.0.5/":             {"TYPUS_WEBHOOK_ALLOW_NETS"},
		"https://localhost/":            {"TYPUS_WEBHOOK_ALLOW_NETS"},
		"https://n8n/":                  {"TYPUS_WEBHOOK_ALLOW_NETS"},
		"http://10.0.0.5:5678/h":        {"TYPUS_WEBHOOK_ALLOW_HTTP", "TYPUS_WEBHOOK_ALLOW_NETS"},
		"http://localhost:5678/h":       {"TYPUS_WEBHOOK_ALLOW_HTTP", "TYPUS_WEBHOOK_ALLOW_NETS"},
		"http://n8n:5678/h":             {"TYPUS_WEBHOOK_ALLOW_HTTP", "TYPUS_WEBHOOK_ALLOW_NETS"},
	} {
		_, err := NewGuard(Policy{}).CheckURL(raw)
		refusal, _ := errors.AsType[Refusal](err)
		if got := name.FindAllString(refusal.Error(), -1); !slices.Equal(got, want) {
			t.Errorf("%s: %q names %v, want %v", raw, refusal, got, want)
		}
		for without := range len(want) + 1 {
			var p Policy
			for i, setting := range want {
				if i != without {
					open(&p, setting)
				}
			}
			if _, err := NewGuard(p).CheckURL(raw); (err == nil) != (without == len(want)) {
				t.Errorf("%s with %+v: %v", raw, p, err)
			}
		}
	}
}

func open(p *Policy, setting string) {
	switch setting {
	case "TYPUS_WEBHOOK_ALLOW_HTTP":
		p.AllowHTTP = true
	case "TYPUS_WEBHOOK_ALLOW_NETS":
		p.AllowNets = prefixes("10.0.0.0/8", "127.0.0.0/8", "::1/128")
	case "TYPUS_WEBHOOK_ALLOW_PORTS":
		p.AllowPorts = []uint16{25}
	}
}

func long(n int) string { return strings.Repeat("a", n) }

func TestOpenedNetworksAndPortsPassAndNoOthers(t *testing.T) {
	g := NewGuard(Policy{AllowHTTP: true, AllowNets: prefixes("10.20.0.0/16"), AllowPorts: []uint16{25}})
	for raw, want := range map[string]bool{
		"http://10.20.0.1:5678/":         true,
		"http://n8n:5678/":               true,
		"http://project_n8n_1:5678/":     true,
		"https://crm.lan/":               true,
		"https://hooks.example.com:25/":  true,
		"https://hooks.example.com:110/": false,
		"http://10.21.0.1/":              false,
		"http://127.0.0.1:5678/":         false,
		"http://localhost:5678/":         false,
		"http://127.1/":                  false,
		"http://0/":                      false,
	} {
		if _, err := g.CheckURL(raw); (err == nil) != want {
			t.Errorf("CheckURL(%q): %v; want allow = %t", raw, err, want)
		}
	}
}

func TestMetadataAndLinkLocalOpenOnlyByALongPrefix(t *testing.T) {
	for _, c := range []struct {
		net, ip string
		want    bool
	}{
		{"0.0.0.0/0", "10.0.0.1", true},
		{"0.0.0.0/0", "127.0.0.1", true},
		{"0.0.0.0/0", "0.0.0.0", false},
		{"0.0.0.0/0", "169.254.169.254", false},
		{"0.0.0.0/0", "192.0.0.192", false},
		{"0.0.0.0/0", "168.63.129.16", false},
		{"100.64.0.0/10", "100.64.3.4", true},
		{"100.64.0.0/10", "100.100.100.200", false},
		{"169.254.0.0/16", "169.254.10.1", false},
		{"169.254.10.0/24", "169.254.10.1", true},
		{"169.254.10.0/24", "169.254.169.254", false},
		{"169.254.169.254/32", "169.254.169.254", true},
		{"169.254.169.254/32", "::ffff:169.254.169.254", true},
		{"::/0", "fd12::1", true},
		{"::/0", "fd00:ec2::254", false},
		{"::/0", "fe80::1", false},
		{"::/0", "::", false},
		{"::/0", "10.0.0.1", false},
		{"fd00::/8", "fd00:ec2::254", false},
		{"fd00::/8", "fd20:ce::254", false},
		{"fd00:ec2::/32", "fd00:ec2::254", true},
	} {
		g := NewGuard(Policy{AllowNets: prefixes(c.net)})
		if got := g.allowsIP(netip.MustParseAddr(c.ip)); got != c.want {
			t.Errorf("with %s open, %s is allowed: %t, want %t", c.net, c.ip, got, c.want)
		}
	}
}

// loopback is the policy of a server that this machine only can reach.
func loopback(own ...string) Policy {
	return Policy{AllowHTTP: true, AllowNets: prefixes("127.0.0.0/8", "::1/128"), OwnListeners: own}
}

func TestOurOwnListenersAreNeverCalled(t *testing.T) {
	for _, c := range []struct {
		own, url string
		want     bool
	}{
		{"127.0.0.1:8080", "http://127.0.0.1:8080/", false},
		{"127.0.0.1:8080", "http://[::ffff:127.0.0.1]:8080/", false},
		{"127.0.0.1:8080", "http://127.0.0.1:8081/", true},
		{"127.0.0.1:8080", "http://127.0.0.2:8080/", true},
		{"127.0.0.1:8080", "http://localhost:8080/", false},
		{"127.0.0.1:8080", "http://localhost:5678/", true},
		{"localhost:8080", "http://127.0.0.1:8080/", false},
		{"localhost:8080", "http://127.9.9.9:8080/", false},
		{"localhost:8080", "http://[::1]:8080/", false},
		{"localhost:8080", "http://LOCALHOST.:8080/", false},
		{":8080", "http://127.0.0.1:8080/", false},
		{"0.0.0.0:8080", "http://127.3.2.1:8080/", false},
		{"[::]:8080", "http://[::1]:8080/", false},
		{"[::]:8080", "http://[::1]:8081/", true},
		{":http", "http://127.0.0.1/", false},
		{"typus.example.com:443", "https://TYPUS.example.com./hook", false},
		{"typus.example.com:443", "https://typus.example.com:8443/hook", true},
		{"typus.example.com:443", "https://hooks.example.com/", true},
		{"Typus.Example.com.:443", "https://typus.example.com/", false},
		{"bücher.example:443", "https://xn--bcher-kva.example/hook", false},
		{"bücher.example:443", "https://BÜCHER.example/hook", false},
		{"xn--bcher-kva.example:443", "https://bücher.example/hook", false},
		{"XN--BCHER-KVA.example.:443", "https://bücher.example/hook", false},
		{"bücher。example:443", "https://bücher.example/hook", false},
		{"bücher.example:443", "https://buecher.example/hook", true},
		{"ⓛocalhost:8080", "http://127.0.0.1:8080/", false},
		{"127。0。0。1:8080", "http://127.0.0.1:8080/", false},
		{"LOCALHOST:8080", "http://127.0.0.1:8080/", false},
		{"typus.localhost:8080", "http://127.0.0.1:8080/", false},
	} {
		_, err := NewGuard(loopback(c.own)).CheckURL(c.url)
		refusal, _ := errors.AsType[Refusal](err)
		if (err == nil) != c.want || (err != nil && refusal != RefusedOwn) {
			t.Errorf("with %s our own, %s: %v; want allow = %t", c.own, c.url, err, c.want)
		}
	}
}

func TestAllAddressesOfThisMachineAreOursWhenWeListenEverywhere(t *testing.T) {
	p := Policy{AllowNets: prefixes("0.0.0.0/0", "::/0", "0.0.0.0/32"), OwnListeners: []string{":8080"}}
	g := NewGuard(p)
	addrs, err := net.InterfaceAddrs()
	if err != nil || len(addrs) == 0 {
		t.Fatalf("no addresses: %v", err)
	}
	for _, a := range addrs {
		ip := netip.MustParsePrefix(a.String()).Addr()
		if got := g.judge(netip.AddrPortFrom(ip, 8080)); got != RefusedOwn && !ip.IsLinkLocalUnicast() {
			t.Errorf("%s:8080 is %q, want own", ip, got)
		}
	}
	for addr, want := range map[string]Refusal{
		"0.0.0.0:8080": RefusedOwn, "[64:ff9b::7f00:1]:8080": RefusedOwn,
		"127.0.0.1:8081": "", "10.255.254.253:8080": "",
	} {
		if got := g.judge(netip.MustParseAddrPort(addr)); got != want {
			t.Errorf("%s is %q, want %q", addr, got, want)
		}
	}
}

func TestTheTableOfRefusalsIsComplete(t *testing.T) {
	for refusal, text := range refusals {
		if text == "" || text != strings.TrimSpace(text) || strings.HasSuffix(text, ".") {
			t.Errorf("the words of %q are %q", refusal, text)
		}
	}
	if len(refusals) != 15 {
		t.Errorf("%d refusals have words, want 15", len(refusals))
	}
}
