// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

func TestSplitPaths(t *testing.T) {
	for text, want := range map[string][]string{
		".a":                   {".a"},
		".a,.b.c,[=1]":         {".a", ".b.c", "[=1]"},
		`.p[k=80,p="TCP"],.x`:  {`.p[k=80,p="TCP"]`, ".x"},
		`.p[n="],.y",m=1].z,.`: {`.p[n="],.y",m=1].z`, "."},
		`.p[n="a\",.b"],.c`:    {`.p[n="a\",.b"]`, ".c"},
		`.l."a,.b",.c`:         {`.l."a,.b"`, ".c"},
		".data.a,b,.c":         {".data.a,b", ".c"},
		".a,":                  {".a", ""},
		`.s[=[1,[2,3]]],.b`:    {`.s[=[1,[2,3]]]`, ".b"},
		".a, .b":               {".a, .b"},
		"….a,…[b].c":           {"….a", "…[b].c"},
	} {
		if got := splitPaths(text); !slices.Equal(got, want) {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

func TestPlacesFlag(t *testing.T) {
	var p pathChoice
	for _, text := range []string{".a,.b", ".b,.c"} {
		if err := p.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if p.String() != ".a,.b,.c" || p.all {
		t.Errorf("got %+v", p)
	}
	if err := p.Set("true"); err != nil || !p.all || len(p.texts) != 3 || p.String() != "true" {
		t.Errorf("all: got %+v, %v", p, err)
	}
	if err := p.Set("false"); err != nil || p.all || p.texts != nil || p.String() != "" {
		t.Errorf("none: got %+v, %v", p, err)
	}
	for _, text := range []string{"", "a", ".a,", ".a, b", "TRUE"} {
		if err := (&pathChoice{}).Set(text); (err == nil) != (text == ".a, b") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A path with dots in a name covers a conflict with the same text, even if the parsed paths differ.
func TestCoveredSteps(t *testing.T) {
	conflict := fieldpath.MakePathOrDie("metadata", "labels", "a.b/c", "x")
	for text, want := range map[string]int{
		".metadata": 1, ".metadata.labels": 2, ".metadata.labels.a": 0, ".metadata.labels.a.b/c": 3,
		".metadata.labels.a.b/c.x": 4, `.metadata.labels."a.b/c"`: 3, ".metadata.label": 0, ".metadata.labels.a.b/c.x.y": 0, "": 0,
	} {
		path, err := fieldpath.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := coveredSteps(text, path, conflict); got != want {
			t.Errorf("%s: got %d", text, got)
		}
	}
}
