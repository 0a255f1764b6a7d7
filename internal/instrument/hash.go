package instrument

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json"
	"github.com/gowebpki/jcs"
)

// canonicalHash identifies an instrument version: the SHA-256 of the canonical JSON (RFC
// 8785) of its definition and item texts. Comments, layout and the order of fields do not
// count; norms, roles and report texts have versions of their own.
func canonicalHash(definition any, texts map[string]any) (string, error) {
	data, err := json.Marshal(map[string]any{"instrument": definition, "texts": texts})
	if err != nil {
		return "", err
	}
	canonical, err := jcs.Transform(data)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
