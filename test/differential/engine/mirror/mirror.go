// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package mirror writes the adapters of our engine and of structured-merge-diff v4 and
// v7: that of v6 with other import paths, so that all are driven by the same code.
package mirror

import (
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// adapters are what is written, by package.
var adapters = []struct {
	dir, doc, imports string          // dir is below that of package engine, or another module
	lacks             map[string]bool // files that have another form there
}{
	{"ours", "// Package ours drives this repository's engine.", `"github.com/dovetail-ssa/dovetail/`, nil},
	{"upstream4", "// Package upstream4 drives structured-merge-diff v4.", `"sigs.k8s.io/structured-merge-diff/v4/`,
		map[string]bool{"newer.go": true}},
	{"../../v7/upstream7", "// Package upstream7 drives structured-merge-diff v7.", `"sigs.k8s.io/structured-merge-diff/v7/`, nil},
}

const header = "// Code generated from engine/upstream by go generate; DO NOT EDIT.\n\n"

// Files returns the files of the adapters, from the directory engine.
func Files(engine string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(engine, "upstream", "*.go"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no adapter below %s", engine)
	}
	out := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, a := range adapters {
			if a.lacks[filepath.Base(name)] {
				continue
			}
			replaced := strings.NewReplacer(
				"// Package upstream drives structured-merge-diff itself.\npackage upstream", a.doc+"\npackage "+path.Base(a.dir),
				"package upstream", "package "+path.Base(a.dir),
				`"sigs.k8s.io/structured-merge-diff/v6/`, a.imports,
			).Replace(string(text))
			formatted, err := format.Source([]byte(header + replaced))
			if err != nil {
				return nil, err
			}
			out[filepath.Join(engine, a.dir, filepath.Base(name))] = string(formatted)
		}
	}
	return out, nil
}
