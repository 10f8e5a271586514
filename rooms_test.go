// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package dovetail_test

import (
	"bytes"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// large are the rooms of more than twenty files, with why each is one room.
var large = map[string]string{
	"fieldmanager":  "one request: its steps are a file each, and all of them read the same request",
	"fieldpath":     "path elements, sets of them and their codec share how they are kept in memory; two of the files are for other versions of Go",
	"kube/crd":      "a version: how it is judged, and what is done to its objects, by one structural schema; a step is a file",
	"kube/defaults": "a rule is a file, with no ties to the others",
	"kube/predict":  "the way of one request; what a server does with one kind or subresource of it is a file",
}

// Each package has a sentence that says what it is, and few files. With -v, it is a table of
// the packages: files, lines, sentence, and what they import of the repository.
func TestRooms(t *testing.T) {
	type room struct {
		files, lines int
		imports      map[string]bool
		sentence     string
	}
	rooms := map[string]*room{}
	for _, f := range goFiles(t) {
		if f.test || within(leaves, f.pkg) {
			continue
		}
		r := rooms[f.pkg]
		if r == nil {
			r = &room{imports: map[string]bool{}}
			rooms[f.pkg] = r
		}
		text, err := os.ReadFile(filepath.FromSlash(f.name))
		if err != nil {
			t.Fatal(err)
		}
		r.files++
		r.lines += bytes.Count(text, []byte("\n"))
		for _, to := range f.ours {
			r.imports[to] = true
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.name, text, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Doc != nil {
			if r.sentence != "" {
				t.Errorf("%s: %s says anew what the package is", f.pkg, f.name)
			}
			r.sentence = new(doc.Package).Synopsis(parsed.Doc.Text())
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(rooms)) {
		r := rooms[pkg]
		t.Logf("%s: %d files, %d lines. %s Imports: %s", pkg, r.files, r.lines, r.sentence, strings.Join(slices.Sorted(maps.Keys(r.imports)), " "))
		if r.sentence == "" {
			t.Errorf("%s: no sentence says what the package is", pkg)
		}
		if (r.files > 20) != (large[pkg] != "") {
			t.Errorf("%s: %d files, and of large it is %v", pkg, r.files, large[pkg] != "")
		}
	}
}
