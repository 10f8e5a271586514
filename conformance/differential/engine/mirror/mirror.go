// Package mirror writes the adapter of our engine: upstream's with other
// import paths, so that both are driven by the same code.
package mirror

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
)

var replacements = strings.NewReplacer(
	"// Package upstream drives structured-merge-diff itself.\npackage upstream",
	"// Package ours drives this repository's engine.\npackage ours",
	"package upstream", "package ours",
	`"sigs.k8s.io/structured-merge-diff/v6/`, `"github.com/dovetail-ssa/dovetail/`,
)

const header = "// Code generated from engine/upstream by go generate; DO NOT EDIT.\n\n"

// Files returns our adapter's files, from the directory engine.
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
		ours, err := format.Source([]byte(header + replacements.Replace(string(text))))
		if err != nil {
			return nil, err
		}
		out[filepath.Join(engine, "ours", filepath.Base(name))] = string(ours)
	}
	return out, nil
}
