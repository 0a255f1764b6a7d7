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
	base := "/t/" + b.full.answering[0]
	first, files, err := firstLoad(c, base+"/frage/1")
	if err != nil {
		return err
	}
	b.add("12", fmt.Sprintf("test page, first load over the wire (%s)", strings.Join(files, ", ")), kilobytes(float64(first)),
		"≤ 40 KB, one stylesheet, one script, no font, no image", first <= 40e3 && atMostOne(files, "css") && atMostOne(files, "js"))
	sent := browserPost(base+"/frage/1", "gezeigt=1700000000000&antwort=4&aktion=weiter")
	got, err := c.exchange(sent)
	if err != nil {
		return err
	}
	saved := len(sent) + got.size
	b.add("12", "each answer over the wire, request and answer", kilobytes(float64(saved)), "≤ 1 KB", saved <= 1024)
	_, err = c.exchange(browserGet(base+"/frage/2", "text/html"))
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

func browserPost(path, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\n%sContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, browserHead, len(body), body)
}
