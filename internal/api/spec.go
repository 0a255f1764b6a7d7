package api

import (
	"bytes"
	_ "embed"
	"fmt"
	"net/http"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed openapi.yaml
var openapi []byte

// exampleURL stands for the server's address in openapi.yaml.
const exampleURL = "https://typus.example.com"

// spec serves the description of the API with this server's address in it.
type spec struct {
	text   []byte
	asJSON func() ([]byte, error) // made once, when first asked for
}

func newSpec(baseURL string) *spec {
	text := bytes.ReplaceAll(openapi, []byte(exampleURL), []byte(baseURL))
	return &spec{text: text, asJSON: sync.OnceValues(func() ([]byte, error) { return yaml.YAMLToJSON(text) })}
}

func (s *spec) yaml(w http.ResponseWriter, _ *http.Request) error {
	write(w, "application/yaml", http.StatusOK, s.text)
	return nil
}

func (s *spec) json(w http.ResponseWriter, _ *http.Request) error {
	text, err := s.asJSON()
	if err != nil {
		return fmt.Errorf("api: turn openapi.yaml into JSON: %w", err)
	}
	write(w, jsonType, http.StatusOK, text)
	return nil
}
