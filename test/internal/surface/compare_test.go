// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package surface

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

func surfaceOf(t *testing.T, module, src string) Surface {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check(module+"/p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Of(map[string]*types.Package{pkg.Path(): pkg}, module)
}

// TestCompare compares two sources. The last column has the names that differ: "-" means
// broken, and "+" added.
func TestCompare(t *testing.T) {
	for _, tc := range []struct{ name, theirs, ours, want string }{
		{"same in another module", "type T struct{ A *T }; func F(x T) error { return nil }", "type T struct{ A *T }; func F(y T) error { return nil }", ""},
		{"any is interface{}", "func F(interface{}) {}", "func F(x any) {}", ""},
		{"missing", "func F() {}", "", "-p.F"},
		{"unexported names are ignored", "func f() {}", "func g() {}", ""},
		{"added", "", "const C = 1", "+p.C"},
		{"value of a constant", "const C = 1", "const C = 2", "-p.C"},
		{"type of a constant", "const C = 1", "const C int = 1", "-p.C"},
		{"variadic", "func F(...int) {}", "func F([]int) {}", "-p.F"},
		{"kind", "func F() {}", "var F = func() {}", "-p.F"},
		{"receiver", "type T struct{}; func (T) M() {}", "type T struct{}; func (*T) M() {}", "-p.T.M"},
		{"tag", "type T struct{ A int `yaml:\"a\"` }", "type T struct{ A int }", "-p.T.A"},
		{"order of fields", "type T struct{ A, B int }", "type T struct{ B, A int }", "-p.T.(order of fields)"},
		{"a field between", "type T struct{ A, B int }", "type T struct{ A, X, B int }", "+p.T.X"},
		{"embedded", "type E struct{}; type T struct{ E }", "type E struct{}; type T struct{ E E }", "-p.T.E"},
		{"promoted method", "type E struct{}; func (E) M() {}; type T struct{ E }", "type E struct{}; func (E) M() {}; type T struct{ E }; func (T) N() {}", "+p.T.N"},
		{"no longer comparable", "type T struct{ a int }", "type T struct{ a []int }", "-p.T"},
		{"comparable now", "type T struct{ a []int }", "type T struct{ a int }", ""},
		{"interface method", "type I interface{ M() }", "type I interface{ M(); N() }", "-p.I.N"},
		{"sealed interface", "type I interface{ M() }", "type I interface{ M(); n() }", "-p.I.(unexported)"},
		{"interface nobody implements", "type I interface{ M(); n() }", "type I interface{ M(); n(); N() }", "+p.I.N"},
		{"methods of an unexported type", "type t struct{}; func (*t) M() {}; var V = &t{}", "type t struct{}; var V = &t{}", "-p.V.M"},
		{"alias", "type T struct{ A int }", "type u = struct{ A int }; type T u", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			broken, added := Compare(surfaceOf(t, "example.com/theirs", tc.theirs), surfaceOf(t, "example.com/ours", tc.ours))
			names := map[string]bool{}
			for _, d := range broken {
				names["-"+d.Name] = true
			}
			for _, d := range added {
				names["+"+d.Name] = true
			}
			if got := strings.Join(slices.Sorted(maps.Keys(names)), " "); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
