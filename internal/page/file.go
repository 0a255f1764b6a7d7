package page

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// File is a body that is served as it is, kept compressed as well. It is
// read-only and safe for concurrent use.
type File struct {
	contentType string
	cache       string
	body        []byte
	zipped      []byte // nil when compression does not make it smaller
}

// NewFile makes a file with its Content-Type and Cache-Control.
func NewFile(contentType, cacheControl string, body []byte) File {
	return File{contentType: contentType, cache: cacheControl, body: body, zipped: zip(body)}
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
	body := f.body
	if f.zipped != nil {
		h.Add("Vary", "Accept-Encoding")
		if takesGzip(r) {
			h.Set("Content-Encoding", "gzip")
			body = f.zipped
		}
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
