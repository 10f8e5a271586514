// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package dovetail_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Comments name what is there: a word with an upper-case letter inside is a name of the
// code, as is a file. Whoever renames something has to rename it in comments, too.
func TestCommentsNameWhatIsThere(t *testing.T) {
	names, files := map[string]bool{}, map[string]bool{}
	type comment struct{ file, text string }
	var comments []comment
	for _, f := range goFiles(t) {
		text, err := os.ReadFile(f.name)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(f.name)] = true
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				names[n.Name] = true
			case *ast.BasicLit: // what documents and schemas call it
				for _, w := range inner.FindAllString(n.Value, -1) {
					names[w] = true
				}
			}
			return true
		})
		if !f.test && !within(leaves, f.pkg) && !strings.Contains(f.name, "zz_generated") {
			for _, group := range parsed.Comments {
				comments = append(comments, comment{f.name, group.Text()})
			}
		}
	}
	for _, c := range comments {
		for _, w := range staleIn(c.text, names, files) {
			t.Errorf("%s: a comment names %s, which is not there", c.file, w)
		}
	}
	if len(comments) < 1000 {
		t.Errorf("%d comments were read", len(comments))
	}
}

func TestStaleNamesAreSeen(t *testing.T) {
	got := staleIn(`kindOf and kindsOf, as {aB: 1}, "cD" in x.go and y.go`, map[string]bool{"kindOf": true}, map[string]bool{"x.go": true})
	if strings.Join(got, " ") != "kindsOf y.go" {
		t.Errorf("got %q", got)
	}
}

var (
	inner  = regexp.MustCompile(`\b[a-z]+[A-Z][A-Za-z0-9]*\b`)
	goFile = regexp.MustCompile(`\b[a-z0-9_]+\.go\b`)
	quotes = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|\\{[^}]*\\}|https?://\\S+")
)

// staleIn returns the names of code and files in a comment that are not there. What is
// quoted or in braces is data.
func staleIn(comment string, names, files map[string]bool) (stale []string) {
	comment = quotes.ReplaceAllString(comment, "")
	for _, w := range inner.FindAllString(comment, -1) {
		if !names[w] {
			stale = append(stale, w)
		}
	}
	for _, w := range goFile.FindAllString(comment, -1) {
		if !files[w] {
			stale = append(stale, w)
		}
	}
	return stale
}
