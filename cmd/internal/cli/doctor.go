// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
)

func newDoctor(r *run) *cobra.Command {
	var (
		d    doctor
		form output
	)
	c := &cobra.Command{
		Use:   "doctor -f LIVE [--fix] [--stale AGE] [--owned-defaults] [--stats]",
		Short: "What is wrong with the managed fields of live objects",
		Long: `Print what is wrong with the managed fields of live objects:

  broken-entry         an entry that cannot be read                      repaired
  duplicate-entry      a second entry of one owner                       repaired
  version-gone         an entry of an API version that is gone           repaired
  missing-key-default  an item named without a key that has a default    repaired
  outdated-path        a part of what the schema has as a whole by now   repaired
  lost-path            an update's path that leads nowhere               repaired
  dead-manager         an entry of which nothing is in the object        repaired
  stale-manager        a manager that has not written for --stale
  client-side-orphan   a field that client-side apply left behind
  two-names            one tool by Update and Apply, or under two names
  duplicate-item       two items of a list with one name
  shared-port-name     two ports of a list called the same, which servers refuse

And with --owned-defaults, outside of metadata and status:

  owned-default        a field with its default that only an update owns
  written-by-update    a field of an applied object that only an update owns, and that
                       has another value than its default, or none in the schema

With --fix the objects are printed with their managed fields repaired, and what was
done goes to standard error. Nothing but managed fields changes, and what is there
keeps its owners. The rest is for you to decide; migrate and extract help.

Which versions there are, the built-in types and --crd say: give all versions that
are still served.

Exit status: 0 nothing; 1 something was found, repaired or not; 3 bad input.`,
		Example: `  # What is wrong in this namespace?
  kubectl get deployments -n shop -o yaml --show-managed-fields | dovetail doctor -f -

  # Who has not been seen for half a year?
  dovetail doctor -f live.yaml --stale 180d

  # What did the operator write that its CRD could have as defaults?
  dovetail doctor -f live.yaml --crd crd.yaml --owned-defaults

  # What takes up the space in this object, and who does not write any more?
  dovetail doctor -f live.yaml --stats --stale 90d

  # Repair an object that nobody can apply to any more.
  kubectl get widget a -o yaml --show-managed-fields |
    dovetail doctor -f - --crd crd.yaml --fix > repaired.yaml
  kubectl replace -f repaired.yaml`,
	}
	d.files.register(c.Flags(), "filename", "f", "file or directory with live objects, - for standard input (repeatable, required)")
	c.Flags().BoolVar(&d.fix, "fix", false, "print the objects with their managed fields repaired")
	c.Flags().StringVar(&d.stale, "stale", "", "find managers that have not written for so long: 90d, 12h")
	c.Flags().BoolVar(&d.stats, "stats", false, "print what the managed fields take first: bytes, paths and age of each entry, with what is wrong with it")
	c.Flags().BoolVar(&d.options.Defaults, "owned-defaults", false, "find fields that an update owns where a default of the schema would do")
	c.Flags().StringVar(&d.clock, "time", "", "time to count ages from, RFC 3339 (default now)")
	d.sources.register(c.Flags(), "name of the type in the file given with --schema")
	d.sources.registerUntyped(c.Flags())
	form.register(c.Flags(), formText, formYAML, formJSON, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		if err := d.check(&form); err != nil {
			return err
		}
		return r.doctor(&d, &form)
	})
}

// doctor are the flags of doctor.
type doctor struct {
	files   files
	sources sources
	fix     bool
	stats   bool
	stale   string
	clock   string

	options fieldmanager.ExamineOptions
	now     func() time.Time
}

func (d *doctor) check(form *output) (err error) {
	switch {
	case d.fix && d.stats:
		return usagef("--stats and --fix print one thing each; use one of them")
	case d.fix && form.form == formText:
		form.form = formYAML
	case !d.fix && (form.form == formYAML || form.form == formJSON):
		return usagef("-o %s is for --fix, which prints the objects; want text, or report, which is JSON", form.form)
	}
	if d.stale != "" {
		if d.options.Stale, err = parseAge(d.stale); err != nil {
			return usagef("--stale %s: want a number of days or hours, such as 90d or 12h", d.stale)
		}
	}
	d.now, err = clock(d.clock)
	return err
}

// parseAge reads a duration that may be in days.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > 36500 {
			return 0, fmt.Errorf("%q is no number of days", days)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d <= 0 {
		err = fmt.Errorf("%s is no age", text)
	}
	return d, err
}

// examined is an object with what is wrong with it.
type examined struct {
	*outcome
	*fieldmanager.Examined
	// items are what is wrong with the items of lists, and no matter of managed
	// fields.
	items []itemProblem
}

// itemProblem is something wrong with an item of a list.
type itemProblem struct {
	*manifest.Error
	rule string
}

func (x *examined) found() bool { return x.Examined != nil && len(x.Problems)+len(x.items) > 0 }

func (r *run) doctor(d *doctor, form *output) error {
	var all []examined
	outcomes, err := r.eachObject(d.files, &d.sources, func(t *types, object *manifest.Object) *outcome {
		x := t.examine(object, d)
		all = append(all, x)
		return x.outcome
	})
	if err != nil {
		return err
	}
	r.messages(outcomes)
	if r.status = worst(outcomes); r.status == StatusDone {
		for i := range all {
			if all[i].found() {
				r.status = StatusDifference
			}
		}
	}
	if form.form == formReport {
		return r.doctorReports(outcomes, all, d)
	}
	if r.status == StatusInvalid {
		return nil
	}
	out := fmt.Fprintln
	for i := range all {
		if d.stats {
			if err := all[i].stats(&r.masks).write(&r.out, all[i].object.Identity().String(), d.now()); err != nil {
				return err
			}
		}
		for _, line := range all[i].lines(d.fix) {
			if d.fix {
				_, err = out(r.env.Stderr, line)
			} else {
				_, err = out(&r.out, line)
			}
			if err != nil {
				return err
			}
		}
	}
	if !d.fix {
		return nil
	}
	objects := make([]map[string]any, len(all))
	for i := range all {
		objects[i] = r.masks.reveal(all[i].Object)
	}
	return form.write(&r.out, objects)
}

// examine finds what is wrong with one object.
func (t *types) examine(object *manifest.Object, d *doctor) examined {
	o := t.readLive(object)
	x := examined{outcome: o}
	if len(o.errors) > 0 {
		return x
	}
	var err error
	content := secretAsWritten(object.Content)
	if x.Examined, err = t.fieldManager(d.now).Examine(content, d.options); err != nil {
		x.Examined = nil
		o.explain(err)
		return x
	}
	if x.Object != nil && object.Content[secretStringData] == nil && content[secretStringData] != nil {
		x.Object = shallow(x.Object)
		delete(x.Object, secretStringData)
	}
	for _, e := range itemsTwice(o) {
		x.items = append(x.items, itemProblem{e, duplicateItem})
	}
	for _, e := range x.portsTwice(t) {
		x.items = append(x.items, itemProblem{e, sharedPortName})
	}
	return x
}

// itemsTwice finds the items of lists that have the name of another: the API
// server refuses to apply them.
func itemsTwice(o *outcome) (twice manifest.Errors) {
	_, err := o.typ.FromUnstructured(withoutManagedFields(o.object.Content))
	all, _ := err.(typed.ValidationErrors)
	for _, e := range all {
		if f := diag.Of(e); f != nil && f.Code == diag.Duplicate {
			twice = append(twice, findings(o.object, o.typ, typed.ValidationErrors{e})...)
		}
	}
	return twice
}

// duplicateItem is the rule of itemsTwice.
const duplicateItem = "duplicate-item"
