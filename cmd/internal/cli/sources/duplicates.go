// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Duplicates warns about CRDs that have the same name but different content. The zero value is
// ready to use.
type Duplicates struct {
	last map[[2]string]*manifest.Object // the last CRD for each group and plural
}

// Add adds a CRD. It prints a warning if an earlier CRD has the same group and plural but different
// content. The warning ends with the text consequence.
func (d *Duplicates) Add(r *command.Run, o *manifest.Object, consequence string) {
	spec, _ := o.Content["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	key := [2]string{unstructured.Text(spec, "group"), unstructured.Text(names, "plural")}
	if d.last == nil {
		d.last = map[[2]string]*manifest.Object{}
	}
	if before := d.last[key]; before != nil && !reflect.DeepEqual(before.Content, o.Content) {
		at, first := o.Start(), before.Start()
		e := manifest.Error{File: at.File, Line: at.Line, Message: fmt.Sprintf("%s is defined twice: the definition at %s:%d differs; %s",
			o.Identity().Name, first.File, first.Line, consequence)}
		r.Warnf("%s", words.Visible(e.Error()))
	}
	d.last[key] = o
}

// kindKeyword finds the text "kind: NAME" at the start of a line.
var kindKeyword = regexp.MustCompile(`(?m)^[ \t{"'-]*kind["']?\s*:\s*["']?(\w+)`)

// WarnOfMisspelledKinds looks for objects in a file whose kind is probably a misspelling of
// CustomResourceDefinition, and prints a warning for each. Without the warning, commands that read
// CRDs would skip such an object silently.
func WarnOfMisspelledKinds(r *command.Run, name string, data []byte) {
	if !bytes.Contains(data, []byte("apiextensions.k8s.io")) {
		return
	}
	for _, m := range kindKeyword.FindAllSubmatchIndex(data, -1) {
		kind := string(data[m[2]:m[3]])
		if kind == DefinitionKind || suggest.Nearest(kind, []string{DefinitionKind}) == "" {
			continue
		}
		e := manifest.Error{File: name, Line: 1 + bytes.Count(data[:m[2]], []byte("\n")), Path: ".kind",
			Message: fmt.Sprintf("%s is not a known kind, so the object is skipped%s", words.Flow(kind), words.DidYouMean(DefinitionKind))}
		r.Warnf("%s", words.Visible(e.Error()))
	}
}

// pluralKeyword finds the text "plural: NAME", which may be the plural name in a CRD.
var pluralKeyword = regexp.MustCompile(`plural["']?\s*:\s*["']?([^\s"',}]+)`)

// warnOfDuplicates prints a warning for each CRD that differs from an earlier one with the same
// name.
func warnOfDuplicates(r *command.Run, docs []openapi.Document) {
	// Only files that contain the same plural can define the same CRD. Parse only these files,
	// because parsing YAML is slow.
	files := map[string][]int{}
	suspect := map[int]bool{}
	for i, doc := range docs {
		for _, m := range pluralKeyword.FindAllSubmatch(doc.Data, -1) {
			plural := string(m[1])
			if files[plural] = append(files[plural], i); len(files[plural]) > 1 {
				for _, i := range files[plural] {
					suspect[i] = true
				}
			}
		}
	}
	var all Duplicates
	for i, doc := range docs {
		if !suspect[i] {
			continue
		}
		objects, _ := manifest.Read(doc.Name, doc.Data) // the catalog has already parsed the file without an error
		for _, o := range objects {
			if o.Identity().Kind == "CustomResourceDefinition" {
				all.Add(r, o, "dovetail uses the last definition")
			}
		}
	}
}
