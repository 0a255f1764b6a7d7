package typus_test

import (
	"go/ast"
	"testing"
)

func TestNothingButTestsWeakensPasswords(t *testing.T) {
	for name, files := range ourPackages(t) {
		if testOnly(name) {
			continue
		}
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if used, ok := n.(*ast.SelectorExpr); ok && used.Sel.Name == "Weaken" {
					t.Errorf("package %s calls Weaken, which is for tests", name)
				}
				return true
			})
		}
	}
}
