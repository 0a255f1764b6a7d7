package page

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// File is a body that is served as it is, or compressed. It is compressed when that is
// first asked for: compressing all files would take most of a server's start, and most
// of them are never asked for. It is safe for concurrent use.
type File struct {
	contentType string
	cache       string
	body        func() []byte
	zipped      func() []byte // nil when compression does not make it smaller
}

// NewFile makes a file with its Content-Type and Cache-Control. The body must
// not be changed any more.
func NewFile(contentType, cacheControl string, body []byte) File {
	return newFile(contentType, cacheControl, func() []byte { return body })
}

// newFile is NewFile for a body that is read each time it is asked for as it is, and once
// to compress it.
func newFile(contentType, cacheControl string, body func() []byte) File {
	zipped := sync.OnceValue(func() []byte { return zip(body()) })
	return File{contentType: contentType, cache: cacheControl, body: body, zipped: zipped}
}

// zippedFile is a file that is kept compressed, and unpacked each time for the few who do not
// take gzip.
func zippedFile(contentType, cacheControl string, read func() []byte) File {
	zipped := sync.OnceValue(read)
	return File{contentType: contentType, cache: cacheControl, body: func() []byte { return unpack(zipped()) }, zipped: zipped}
}

// unpack unpacks what the program carries: nothing of what is no gzip.
func unpack(zipped []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return body
}

// zip compresses, or returns nil when that does not pay.
func zip(body []byte) []byte {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || buf.Len() >= len(body) {
		return nil
	}
	return buf.Bytes()
}

// ServeHTTP answers the file, compressed for those who take it.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cache)
	h.Add("Vary", "Accept-Encoding")
	var body []byte
	if takesGzip(r) {
		body = f.zipped()
	}
	if body == nil {
		body = f.body()
	} else {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a reader who has gone is no fault
}

// takesGzip reads Accept-Encoding as far as it matters here: gzip named, and
// not with a weight of zero (RFC 9110 12.5.3).
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return err != nil || q > 0
	}
	return false
}
