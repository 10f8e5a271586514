// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit_test

import (
	"path/filepath"
	"testing"

	"github.com/dovetail-ssa/dovetail/gen/internal/emit"
	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// TestUnions checks that the generated unions equal the output of openapi-gen. The only
// difference from openapi-gen is that +unionMember=VALUE sets the discriminator value.
func TestUnions(t *testing.T) {
	dir := module(t)
	write(t, filepath.Join(dir, "u", "types.go"), `// Package u has unions.
//
// +k8s:openapi-gen=true
package u

// Profile has a union.
// +union
type Profile struct {
	// +unionDiscriminator
	Type string `+"`json:\"type\"`"+`
	// +unionMember=Localhost
	LocalhostProfile *string `+"`json:\"localhostProfile,omitempty\"`"+`
	Other *string `+"`json:\"other,omitempty\"`"+`
}

// Source has a union without a discriminator.
// +union
type Source struct {
	Git *string `+"`json:\"git,omitempty\"`"+`
}

// Volume embeds a union.
type Volume struct {
	Name string `+"`json:\"name\"`"+`
	Source `+"`json:\",inline\"`"+`
}

// Plain has no union.
type Plain struct {
	Name string `+"`json:\"name\"`"+`
}
`)
	src, err := markers.Load(markers.Config{Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if found := markers.Errors(src.Check(), false); len(found) > 0 {
		t.Fatalf("findings %v", found)
	}
	p, _ := src.Package("example.com/cases/u")
	want := map[string]string{
		"Profile": `[{"discriminator":"type","fields-to-discriminateBy":{"localhostProfile":"Localhost","other":"Other"}}]`,
		"Source":  `[{"fields-to-discriminateBy":{"git":"Git"}}]`,
		"Volume":  `[{"fields-to-discriminateBy":{"git":"Git"}}]`,
		"Plain":   `null`,
	}
	for _, d := range emit.NewDefinitions(src, []*markers.Package{p}, emit.DefinitionOptions{Implied: true}).Sorted() {
		name := d.Type.Obj().Name()
		if got := markers.JSON(d.Schema.X["x-kubernetes-unions"]); got != want[name] {
			t.Errorf("%s: got %s, want %s", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no definitions of %v", want)
	}
}
