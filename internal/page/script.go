package page

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
)

// The parts of a module that tie it to its neighbours in the same directory.
var (
	neighbour = regexp.MustCompile(`(?m)^import \{[^}]*\} from "\./[a-z]+\.js";\n`)
	exported  = regexp.MustCompile(`(?m)^export (function|async function|class|const) `)
	remarks   = regexp.MustCompile(`(?m)^[ \t]*//.*\n`)
	declared  = regexp.MustCompile(`(?m)^(?:export )?(?:async )?(?:function|class|const|let) (\w+)`)
)

// entry is the module that uses the others and that nothing imports.
const entry = "main.js"

// joinModules makes one script of the ES modules in a directory, so that a page needs
// one request. In one file the imports and exports are not needed, so they are removed.
// Comments on lines of their own are for who reads the modules, and are left out.
// main.js comes last, after all modules that it uses. No two modules may declare the
// same name.
func joinModules(fsys fs.FS, dir string) ([]byte, error) {
	names, _ := fs.Glob(fsys, dir+"/*.js") // the pattern is valid
	var joined, last bytes.Buffer
	owner := map[string]string{}
	for _, name := range names {
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		for _, m := range declared.FindAllSubmatch(body, -1) {
			if other := owner[string(m[1])]; other != "" {
				return nil, fmt.Errorf("page: %s and %s both declare %s", other, name, m[1])
			}
			owner[string(m[1])] = name
		}
		to := &joined
		if path.Base(name) == entry {
			to = &last
		}
		to.Write(exported.ReplaceAll(neighbour.ReplaceAll(remarks.ReplaceAll(body, nil), nil), []byte("$1 ")))
	}
	if last.Len() == 0 {
		return nil, fmt.Errorf("page: %s has no %s", dir, entry)
	}
	return append(joined.Bytes(), last.Bytes()...), nil
}
