package webhook

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"typus/internal/webhook/hostiletest"
)

// zone answers what a name leads to; n counts the questions for A from 0. A
// CNAME comes first in the answer.
type zone func(n int) (cname string, ips []string)

// nameServer serves one zone for every name, on 127.0.0.1, over UDP and TCP.
func nameServer(t *testing.T, z zone) *net.Resolver {
	t.Helper()
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tcp.Close(); udp.Close() })
	var asked atomic.Int32
	go serveUDP(udp, z, &asked)
	go serveTCP(tcp, z, &asked)
	return resolverAt(udp.LocalAddr().String(), tcp.Addr().String())
}

func resolverAt(udp, tcp string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		if network == "tcp" {
			return d.DialContext(ctx, network, tcp)
		}
		return d.DialContext(ctx, network, udp)
	}}
}

func serveUDP(conn net.PacketConn, z zone, asked *atomic.Int32) {
	buf := make([]byte, 4096)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		answer := answerTo(buf[:n], z, asked)
		if len(answer) > 1200 {
			answer = answerTo(buf[:n], nil, asked) // truncated: ask again over TCP
		}
		conn.WriteTo(answer, from)
	}
}

func serveTCP(l net.Listener, z zone, asked *atomic.Int32) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		var size [2]byte
		io.ReadFull(conn, size[:])
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		io.ReadFull(conn, query)
		answer := answerTo(query, z, asked)
		conn.Write(binary.BigEndian.AppendUint16(nil, uint16(len(answer))))
		conn.Write(answer)
		conn.Close()
	}
}

// answerTo builds an answer; without a zone a truncated one.
func answerTo(query []byte, z zone, asked *atomic.Int32) []byte {
	var q dnsmessage.Message
	if err := q.Unpack(query); err != nil {
		return nil
	}
	name, kind := q.Questions[0].Name, q.Questions[0].Type
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: q.ID, Response: true, RecursionAvailable: true, Truncated: z == nil}, Questions: q.Questions}
	if z != nil {
		n := int(asked.Load())
		if kind == dnsmessage.TypeA {
			n = int(asked.Add(1)) - 1
		}
		m.Answers = records(name, kind, z, n)
	}
	packed, err := m.Pack()
	if err != nil {
		panic(err)
	}
	return packed
}

func records(name dnsmessage.Name, kind dnsmessage.Type, z zone, n int) []dnsmessage.Resource {
	cname, ips := z(n)
	var list []dnsmessage.Resource
	if cname != "" {
		target := dnsmessage.MustNewName(cname)
		list = append(list, dnsmessage.Resource{Header: header(name, dnsmessage.TypeCNAME), Body: &dnsmessage.CNAMEResource{CNAME: target}})
		name = target
	}
	for _, text := range ips {
		ip := netip.MustParseAddr(text)
		switch {
		case ip.Is4() && kind == dnsmessage.TypeA:
			list = append(list, dnsmessage.Resource{Header: header(name, kind), Body: &dnsmessage.AResource{A: ip.As4()}})
		case ip.Is6() && kind == dnsmessage.TypeAAAA:
			list = append(list, dnsmessage.Resource{Header: header(name, kind), Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	return list
}

func header(name dnsmessage.Name, kind dnsmessage.Type) dnsmessage.ResourceHeader {
	return dnsmessage.ResourceHeader{Name: name, Type: kind, Class: dnsmessage.ClassINET}
}

func always(ips ...string) zone { return func(int) (string, []string) { return "", ips } }

func postVia(t *testing.T, z zone, g *Guard, url string) Outcome {
	t.Helper()
	c := client(t, ClientOptions{Guard: g})
	c.dialer.resolver = nameServer(t, z)
	return c.Post(t.Context(), request(url))
}

func TestANameThatLeadsToAnOpenedAddressIsReached(t *testing.T) {
	r := hostiletest.Start(t, hostiletest.Answers(200))
	url := strings.Replace(r.URL, "127.0.0.1", "hooks.example.com", 1)
	if out := postVia(t, always("127.0.0.1"), NewGuard(loopback()), url); !out.Delivered || out.Attempt.RemoteIP != "127.0.0.1" {
		t.Errorf("outcome %+v", out)
	}
}

func TestANameIsRefusedWhenAnyOfItsAddressesIs(t *testing.T) {
	r := hostiletest.Start(t, hostiletest.Answers(200))
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	many := make([]string, 500)
	for i := range many {
		many[i] = fmt.Sprintf("127.1.%d.%d", i/250, i%250+1)
	}
	for what, z := range map[string]zone{
		"one of two":               always("127.0.0.1", "10.0.0.1"),
		"IPv6 beside a good IPv4":  always("127.0.0.1", "fd00:ec2::254"),
		"IPv4 written as IPv6":     always("::ffff:10.0.0.1"),
		"CNAME to metadata":        func(int) (string, []string) { return "metadata.google.internal.", []string{"169.254.169.254"} },
		"the last of 501 (by TCP)": always(append(many, "10.0.0.1")...),
	} {
		out := postVia(t, z, NewGuard(loopback()), "http://hooks.example.com"+port)
		if out.Attempt.ErrorCode != CodeBlocked || out.Attempt.RemoteIP != "" || out.Attempt.Duration != 0 {
			t.Errorf("%s: %+v", what, out.Attempt)
		}
	}
	if r.Connections() != 0 {
		t.Errorf("%d connections were made", r.Connections())
	}
}

// DNS rebinding: the name server gives a good address when asked first and our
// loopback when the dial asks again.
func TestANameThatChangesBeforeTheDialReachesNothing(t *testing.T) {
	secret := hostiletest.Start(t, hostiletest.Answers(200))
	port := secret.URL[strings.LastIndex(secret.URL, ":"):]
	g := NewGuard(Policy{AllowHTTP: true})
	for range 50 {
		out := postVia(t, func(n int) (string, []string) {
			if n == 0 {
				return "", []string{"93.184.216.34"}
			}
			return "", []string{"127.0.0.1"}
		}, g, "http://hooks.example.com"+port)
		if out.Attempt.ErrorCode != CodeBlocked {
			t.Fatalf("outcome %+v", out)
		}
	}
	if secret.Connections() != 0 {
		t.Errorf("%d connections reached loopback", secret.Connections())
	}
}

func TestANameThatLeadsToOurOwnListenerIsRefused(t *testing.T) {
	own := hostiletest.Start(t, hostiletest.Answers(200))
	port := own.URL[strings.LastIndex(own.URL, ":"):]
	port = strings.TrimSuffix(port, "/hook")
	out := postVia(t, always("127.0.0.1"), NewGuard(loopback("127.0.0.1"+port)), "http://hooks.example.com"+port)
	if out.Attempt.ErrorCode != CodeBlocked || own.Connections() != 0 {
		t.Errorf("%+v after %d connections", out, own.Connections())
	}
}

func TestANameWithoutAnAddressIsADNSError(t *testing.T) {
	if out := postVia(t, always(), NewGuard(loopback()), "http://hooks.example.com:9999"); out.Attempt.ErrorCode != CodeDNS {
		t.Errorf("outcome %+v", out)
	}
}

func TestANameServerThatNeverAnswersIsADNSError(t *testing.T) {
	silent, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := client(t, ClientOptions{limits: limits{connect: 300 * time.Millisecond, total: 20 * time.Second}})
	c.dialer.resolver = resolverAt(silent.LocalAddr().String(), silent.LocalAddr().String())
	if out := c.Post(t.Context(), request("http://hooks.example.com:9999")); out.Attempt.ErrorCode != CodeDNS {
		t.Errorf("outcome %+v", out)
	}
}

func TestTheDialerConnectsToNothingThatIsRefused(t *testing.T) {
	for _, v := range vectors(t) {
		if v.allow || !strings.HasSuffix(v.kind, "ip") {
			continue
		}
		conn, err := newDialer(guardOf(v), time.Second).DialContext(t.Context(), "tcp", net.JoinHostPort(v.value, "443"))
		if _, refused := errors.AsType[Refusal](err); !refused || conn != nil {
			t.Errorf("%s: %v", v.value, err)
		}
	}
}
