// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// lintFix prints the CRDs of a file with what lint can mend mended.
func (r *run) lintFix(f files, form *output) error {
	if len(f.names) != 1 {
		return usagef("--fix prints one FILE, got %d", len(f.names))
	}
	if form.form == formReport {
		return usagef("--fix prints CRDs; leave out -o %s", form.form)
	}
	data, shown, err := r.read(f.flag, f.names[0])
	if err == nil && openapi.IsDocument(data) {
		return usagef("--fix is for CRDs, and %s is an OpenAPI document", shown)
	}
	var (
		text  []byte
		found []finding
		seen  bool
	)
	if err == nil {
		text, err = manifest.Edit(shown, data, func(o *manifest.Object) ([]manifest.Change, error) {
			id := o.Identity()
			if id.Kind != "CustomResourceDefinition" {
				return nil, nil
			}
			seen = true
			if err := wantCRD(o); err != nil {
				return nil, manifest.Errors{err}
			}
			if err := needsRules("to lint a CRD"); err != nil {
				return nil, err
			}
			all := lintCRD(o)
			found = append(found, all...)
			return mending(all), nil
		})
	}
	if err == nil && !seen {
		err = &manifest.Error{File: shown, Message: "no CustomResourceDefinition there"}
	}
	if errs, ok := inputErrors(err); ok {
		r.messages([]*outcome{{errors: errs}})
		r.status = StatusInvalid
		return nil
	}
	if err != nil {
		return err
	}
	if len(found) > 0 {
		r.status = StatusDifference
	}
	for _, f := range found {
		fmt.Fprintln(r.env.Stderr, visible(f.String()))
	}
	r.out.Write(text)
	return nil
}

// mending are the changes that mend findings, each once.
func mending(all []finding) (list []manifest.Change) {
	done := map[string]bool{}
	for _, f := range all {
		if f.change == nil {
			continue
		}
		if key := fmt.Sprint(f.change.Steps, f.Fix); !done[key] {
			done[key] = true
			list = append(list, *f.change)
		}
	}
	return list
}
