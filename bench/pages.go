package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// pages is row 12: what a browser with an empty cache sends and receives for
// the first page, heads included, and for each answer.
func (b *bench) pages(context.Context) error {
	c, err := dial(b.site.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	base := "/t/" + b.full.Answering[0]
	first, files, err := firstLoad(c, base+"/frage/1")
	if err != nil {
		return err
	}
	b.add("12", fmt.Sprintf("test page, first load over the wire (%s)", strings.Join(files, ", ")), kilobytes(float64(first)),
		"≤ 40 KB, one stylesheet, one script, no font, no image", first <= 40e3 && atMostOne(files, "css") && atMostOne(files, "js"))
	return b.perAnswer(c, base)
}

// perAnswer counts what the page sends for an answer and all that comes back.
// The head of a request is the browser's own.
func (b *bench) perAnswer(c *conn, base string) error {
	body := `{"answers":[{"n":1,"value":4,"was":[0],"ms":4321,"changes":0,"age":12}]}`
	saved, err := c.exchange(browserPost(base+"/antworten", "application/json", body))
	if err != nil || saved.status != http.StatusOK {
		return fmt.Errorf("an answer was answered with %d, %w", saved.status, err)
	}
	total := len(body) + saved.size
	b.add("12", "each answer, besides the browser's own head", fmt.Sprintf("%d bytes: %d sent, %d received, of them %d head",
		total, len(body), saved.size, saved.size-len(saved.body)), "≤ 1 KB", total <= 1024)
	body = "gezeigt=1700000000000&antwort=4&aktion=weiter"
	moved, err := c.exchange(browserPost(base+"/frage/1", "application/x-www-form-urlencoded", body))
	if err != nil || moved.status != http.StatusSeeOther {
		return fmt.Errorf("the form was answered with %d, %w", moved.status, err)
	}
	total = len(body) + moved.size
	page, err := c.exchange(browserGet(moved.location, "text/html"))
	b.note("12", "the same where no script runs: the form, and the next page", fmt.Sprintf("%d + %d bytes", total, page.size))
	return err
}

func atMostOne(files []string, kind string) bool {
	n := 0
	for _, f := range files {
		if strings.HasSuffix(f, "."+kind) {
			n++
		}
	}
	return n <= 1
}

var linked = regexp.MustCompile(`(?:<link [^>]*href|<script [^>]*src|<img [^>]*src)="(/[^"]+)"`)

// firstLoad gets a page and all that it names, and returns the bytes in both
// directions and the names.
func firstLoad(c *conn, path string) (int, []string, error) {
	request := browserGet(path, "text/html")
	page, err := c.exchange(request)
	if err != nil || page.status != http.StatusOK {
		return 0, nil, fmt.Errorf("%s was answered with %d, %w", path, page.status, err)
	}
	total, names := len(request)+page.size, []string{"page"}
	for _, m := range linked.FindAllStringSubmatch(string(slices.Clone(page.body)), -1) {
		request := browserGet(m[1], "*/*")
		file, err := c.exchange(request)
		if err != nil || file.status != http.StatusOK {
			return 0, nil, fmt.Errorf("%s was answered with %d, %w", m[1], file.status, err)
		}
		total += len(request) + file.size
		names = append(names, nameOf(m[1]))
	}
	return total, names, nil
}

// nameOf is the name of a file without its content hash.
func nameOf(path string) string {
	parts := strings.Split(path[strings.LastIndexByte(path, '/')+1:], ".")
	return parts[0] + "." + parts[len(parts)-1]
}

// What a current browser sends with every request.
const browserHead = "Host: localhost\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: de,en;q=0.9\r\nSec-Fetch-Site: same-origin\r\n"

func browserGet(path, accept string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\n%sAccept: %s\r\n\r\n", path, browserHead, accept)
}

func browserPost(path, kind, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, browserHead, kind, len(body), body)
}
