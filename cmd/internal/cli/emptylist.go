// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// emptyList says that there is no object in the files that a command was given, but a List
// without items: what kubectl get prints where there is nothing.
type emptyList struct{ about *manifest.Error }

func (e *emptyList) Error() string { return e.about.Error() }

// hasMapping says whether there is a mapping in a file. One that was read without an error
// and holds no object is a List without items.
func hasMapping(name string, data []byte) bool {
	found, _ := manifest.Mappings(name, data) // it was read before
	return len(found) > 0
}

// ended is how a command ends. Where there is only a List without items there is nothing to
// look at, which is no error. To a request it is: nobody means to write nothing.
func (r *run) ended(c *cobra.Command, err error) error {
	var empty *emptyList
	if !errors.As(err, &empty) {
		return err
	}
	form := &output{}
	if flag := c.Flags().Lookup("output"); flag != nil {
		form.form = flag.Value.String()
	}
	if c.Name() == "apply" || c.Name() == "update" {
		return r.refused(empty.about, form)
	}
	r.noteEmpty(empty)
	switch {
	case form.form == formReport, form.form == formJSON && c.Name() == "owners":
		return r.reports(nil)
	case form.form == formJSON:
		return form.write(&r.out, []map[string]any{})
	}
	return nil
}

func (r *run) noteEmpty(empty *emptyList) {
	fmt.Fprintf(r.env.Stderr, "note: %v\n", empty)
}
