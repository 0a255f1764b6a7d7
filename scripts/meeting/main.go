// Command meeting runs the program of a package's tests as go test -exec does, but of the tests
// only those in which goroutines meet, and an eighth of all others, as TYPUS_SEED draws them.
//
// It is for the race detector, which makes tests several times as slow, and which finds
// something only where two goroutines touch the same memory. Goroutines meet in a test that
// starts one: by a go statement, a method Go or t.Parallel, in its own words or in those of a
// function of the package's tests that it names.
package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	err := run(os.Args[1:])
	fmt.Fprintln(os.Stderr, "meeting:", err)
	os.Exit(1)
}

// run does not return unless the program cannot be run.
func run(command []string) error {
	if len(command) == 0 {
		return fmt.Errorf("no program of tests")
	}
	functions, err := read(".")
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	meet, others := parted(functions)
	names := append(meet, eighth(others, os.Getenv("TYPUS_SEED")+" "+filepath.Base(dir))...)
	command = append(command, "-test.run=^("+strings.Join(names, "|")+")$")
	return fmt.Errorf("run %s: %w", command[0], syscall.Exec(command[0], command, os.Environ()))
}

// function is what all functions and methods of one name do together.
type function struct {
	meets bool
	names []string // all words of their bodies
}

// read reads the tests of the package in a directory.
func read(dir string) (map[string]*function, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	functions := map[string]*function{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Body != nil {
				if functions[f.Name.Name] == nil {
					functions[f.Name.Name] = &function{}
				}
				functions[f.Name.Name].add(f.Body)
			}
		}
	}
	return functions, nil
}

func (f *function) add(body ast.Node) {
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			f.meets = true
		case *ast.SelectorExpr:
			f.meets = f.meets || node.Sel.Name == "Go" || node.Sel.Name == "Parallel"
		case *ast.Ident:
			f.names = append(f.names, node.Name)
		}
		return true
	})
}

// parted returns the tests in which goroutines meet, and the others.
func parted(functions map[string]*function) ([]string, []string) {
	met := func(name string) bool { return functions[name] != nil && functions[name].meets }
	for more := true; more; {
		more = false
		for _, f := range functions {
			if !f.meets && slices.ContainsFunc(f.names, met) {
				f.meets, more = true, true
			}
		}
	}
	var meet, others []string
	for name, f := range functions {
		switch {
		case !strings.HasPrefix(name, "Test") || name == "TestMain":
		case f.meets:
			meet = append(meet, name)
		default:
			others = append(others, name)
		}
	}
	return meet, others
}

// eighth draws one name in eight, and one at least if there is any; the same for the same seed.
func eighth(names []string, seed string) []string {
	lots := map[string]string{}
	for _, name := range names {
		lots[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(seed+" "+name)))
	}
	names = slices.SortedFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(lots[a], lots[b]) })
	return names[:(len(names)+7)/8]
}
