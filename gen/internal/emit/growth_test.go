// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/gen/internal/emit"
	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// TestWorkIsLinear checks that the work for a package grows with the number of its types,
// not with the number of paths through them. It counts allocated bytes, because they do
// not depend on the speed of the machine.
func TestWorkIsLinear(t *testing.T) {
	for _, test := range []struct {
		name string
		// types returns Go code with n types, or with types nested n levels deep.
		types func(n int) string
		n     int
		// most is the highest factor by which the work may grow when n grows
		// fourfold.
		most   uint64
		errors bool
	}{
		{"many types", manyTypes, 100, 6, false},
		{"two fields of the next type", func(n int) string {
			return levels(n, "type T%d struct {\n\tA *T%d `json:\"a,omitempty\"`\n\tB []T%[2]d `json:\"b,omitempty\"`\n}\n")
		}, 30, 6, false},
		// A struct has the fields of all structs that it embeds, so the work is quadratic.
		{"two inlined pointers", func(n int) string {
			return levels(n, "type T%d struct {\n\t*A%[1]d `json:\",inline\"`\n\t*B%[1]d `json:\",inline\"`\n}\ntype A%[1]d struct {\n\t*T%[2]d `json:\",inline\"`\n}\ntype B%[1]d struct {\n\t*T%[2]d `json:\",inline\"`\n}\n")
		}, 15, 32, false},
		{"defaults inside defaults", func(n int) string {
			return levels(n, "type T%d struct {\n\t// +default={\"x\": \"y\"}\n\tA *T%d `json:\"a,omitempty\"`\n\t// +default={}\n\tB *T%[2]d `json:\"b,omitempty\"`\n\tX string `json:\"x,omitempty\"`\n}\n")
		}, 30, 6, true},
		{"lists with immutable keys", func(n int) string {
			return levels(n, immutableLists)
		}, 30, 6, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			once, four := work(t, test.types(test.n), test.errors), work(t, test.types(4*test.n), test.errors)
			t.Logf("%d kB, and %d kB for four times as many", once/1024, four/1024)
			if four > test.most*once {
				t.Errorf("%d bytes for %d, and %d bytes for four times as many, want at most %d times as much", once, test.n, four, test.most)
			}
		})
	}
}

const immutableLists = "type T%d struct {\n\t// +listType=map\n\t// +listMapKey=x\n\t// +immutable=keys\n\tA []T%d `json:\"a,omitempty\"`\n" +
	"\t// +listType=map\n\t// +listMapKey=x\n\t// +immutable=keys\n\tB []T%[2]d `json:\"b,omitempty\"`\n\tX string `json:\"x\"`\n}\n"

// TestTooLarge checks the errors for types whose definitions would grow exponentially.
func TestTooLarge(t *testing.T) {
	src := load(t, levels(40, immutableLists))
	all := emit.NewDefinitions(src, src.Packages, emit.DefinitionOptions{Implied: true})
	const copies = "the list T36.A needs more than 20000 copies of definitions"
	if _, err := all.Document(""); err == nil || !strings.Contains(err.Error(), copies) {
		t.Errorf("the document: got %v, want %s", err, copies)
	}
	if _, err := all.Go("", "api", ""); err == nil || !strings.Contains(err.Error(), copies) {
		t.Errorf("the Go file: got %v, want %s", err, copies)
	}
	const parts = "the schema of Kind has 6597069766656 nested schemas, 786428 of them in .spec.a[].a[]"
	if _, err := emit.CRDs(src, src.Packages, emit.CRDOptions{MaxDescription: -1}); err == nil || !strings.Contains(err.Error(), parts) {
		t.Errorf("the CRD: got %v, want %s", err, parts)
	}
}

const kindOfT0 = "type Kind struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitzero\"`\n\tSpec *T0 `json:\"spec,omitempty\"`\n}\n"

func levels(n int, text string) string {
	var b strings.Builder
	b.WriteString(kindOfT0)
	for i := range n {
		fmt.Fprintf(&b, text, i, i+1)
	}
	fmt.Fprintf(&b, "type T%d struct {\n\tX string `json:\"x\"`\n}\n", n)
	return b.String()
}

// manyTypes returns n kinds, each with a struct, an enum, handwritten functions and markers.
func manyTypes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\n// +k8s:unknown-%d\ntype Kind%[1]d struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitzero\"`\n\tSpec Spec%[1]d `json:\"spec\"`\n}\n"+
			"type Spec%[1]d struct {\n\tMode Mode%[1]d `json:\"mode,omitempty\"`\n\tNext *Spec%[2]d `json:\"-\"`\n\t// +default=%[1]d\n\tSize *int `json:\"size,omitempty\"`\n}\n"+
			"// +enum\ntype Mode%[1]d string\nconst (\n\t// On%[1]d is on.\n\tOn%[1]d Mode%[1]d = \"on\"\n\t// Off%[1]d is off.\n\tOff%[1]d Mode%[1]d = \"off\"\n)\n"+
			"func SetDefaults_Spec%[1]d(*Spec%[1]d) {}\n", i, (i*7+1)%n)
	}
	return b.String()
}

// load returns the source of a package with types.
func load(t *testing.T, types string) *markers.Source {
	t.Helper()
	dir := module(t)
	write(t, filepath.Join(dir, "api/types.go"), "// +groupName=example.com\n// +k8s:openapi-gen=true\n// +k8s:defaulter-gen=true\npackage api\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+types)
	src, err := markers.Load(markers.Config{Dir: dir}, "./api")
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// work returns the number of bytes allocated while generating everything for a package.
func work(t *testing.T, types string, wrong bool) uint64 {
	t.Helper()
	src := load(t, types)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := src.Check()
	p := src.Packages[0]
	if _, err := emit.Defaults(src, p, ""); err != nil && !wrong {
		t.Error(err)
	}
	// Ignore the errors for definitions and CRDs that are too large.
	all := emit.NewDefinitions(src, src.Packages, emit.DefinitionOptions{Implied: true})
	_, _ = all.Go(p.Path, p.Name, "")
	_, _ = all.Document("")
	_, _ = emit.CRDs(src, src.Packages, emit.CRDOptions{Implied: true, MaxDescription: -1})
	runtime.ReadMemStats(&after)
	if errs := markers.Errors(found, false); (len(errs) > 0) != wrong {
		t.Errorf("errors: %v", errs)
	}
	return after.TotalAlloc - before.TotalAlloc
}
