package instrument

import (
	"embed"
	"io/fs"
	"sync"
)

//go:embed salespersona
var embedded embed.FS

// Own is the embedded instrument salespersona 1.0.0.
func Own() *Instrument { return own() }

var own = sync.OnceValue(func() *Instrument {
	in, err := Load(ownFiles())
	if err != nil {
		panic(err) // the tests load it too: no build with this fault is released
	}
	return in
})

func ownFiles() fs.FS {
	dir, err := fs.Sub(embedded, "salespersona/1.0.0")
	if err != nil {
		panic(err)
	}
	return dir
}
