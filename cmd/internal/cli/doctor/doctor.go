// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/spool"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/writing"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// New returns the command doctor.
func New(r *command.Run) *cobra.Command {
	var (
		d    doctor
		form command.Output
	)
	c := &cobra.Command{
		Use:   "doctor {-f LIVE [NAME...]|RESOURCE/NAME|-A} [--fix [--write]]",
		Short: "Find and repair broken managed fields",
		Long: `Find problems in the managed fields of live objects. Each problem has a name. With --fix, doctor
can repair these problems:

  broken-entry         A managedFields entry cannot be read.
  unknown-element      A path has an element of a kind that servers do not know.
  duplicate-entry      Two entries belong to the same owner.
  version-gone         An entry has an API version that no longer exists.
  version-unserved     An entry has a version that its CRD does not serve.
  version-lacks-field  An entry has an API version that lacks a live field.
  missing-key-default  The path of a list item lacks a key that has a default.
  outdated-path        A path leads into a list or map that is now atomic.
  lost-path            An update set a field that the object no longer has.
  dead-manager         The object no longer has any field of an entry.

Doctor only reports these problems, and does not repair them:

  stale-manager        A manager has not written for the time in --stale.
  client-side-orphan   Client-side apply left a field behind.
  secret-key-orphan    Nobody owns a key of a Secret that stringData set.
  two-names            A tool both updates and applies, or has two names.
  duplicate-item       Two items of a list have the same keys or value.
  shared-port-name     Ports of a list have the same name. Servers reject this.

With --owned-defaults, doctor also looks for fields that a default in the schema could set instead
of a manager. It reports a field if managers own it through updates, and none through an apply.
It ignores metadata and status:

  owned-default        The field has its default value, and a manager owns it
                       through an update.
  written-by-update    The field has another value, and a manager owns it
                       through an update. Some manager applies other fields
                       of the object.

For built-in kinds, --owned-defaults knows only the defaults in OpenAPI documents. It does not know
the defaults that Go code of the server sets, such as replicas: 1.

With --fix, doctor prints the objects with repaired managed fields, and lists the repairs on
standard error. Only managed fields change, and every field keeps the owners that a server
can read. If doctor removes an entry that a server cannot read, it lists the fields that then
have no owner. For the other problems, use "dovetail migrate" and "dovetail extract".

With --fix --write, doctor repairs the managed fields in the cluster. It proceeds as follows:

  1. It sends a dry run to the cluster, and compares the results with the
     predicted objects. It does not write objects that differ.
  2. It asks for confirmation.
  3. It saves the old objects to a file for "dovetail undo".
  4. It sends one request for each object. The server rejects the request if
     the object has changed since doctor read it.

Doctor knows which API versions exist from the built-in types and from the CRDs in --crd. So the
CRDs in --crd must define all versions that the CRDs on the server define.

Exit status: 0 no finding; 1 findings, repaired or not; 3 invalid input, or an object was not
written.`,
		Example: `  # Check the Deployments of a namespace.
  kubectl get deployments -n shop -o yaml --show-managed-fields | dovetail doctor -f -

  # Find managers that have not written for half a year.
  dovetail doctor -f live.yaml --stale 180d

  # Repair all objects of a cluster, and keep a file to undo it.
  dovetail doctor -A --context shop --fix --write --undo before-doctor.json

  # Find values set by an operator that could be defaults of its CRD.
  dovetail doctor -f live.yaml --crd crd.yaml --owned-defaults

  # Show the size of each entry, and find managers that no longer write.
  dovetail doctor -f live.yaml --stats --stale 90d

  # Repair an object whose managed fields block every apply.
  kubectl get widget a -o yaml --show-managed-fields |
    dovetail doctor -f - --crd crd.yaml --fix > repaired.yaml
  kubectl replace -f repaired.yaml`,
	}
	d.files.Register(c.Flags(), "filename", "f", "live objects: a file, a directory, or - for standard input (repeatable)")
	c.Flags().BoolVar(&d.fix, "fix", false, "print the objects with repaired managed fields")
	c.Flags().StringVar(&d.stale, "stale", "", "find managers that have not written for this long, such as 90d or 12h")
	c.Flags().BoolVar(&d.stats, "stats", false, "first show how large the managed fields are: the bytes, paths, age and problems of each entry")
	c.Flags().BoolVar(&d.options.Defaults, "owned-defaults", false, "find fields that managers set by updates to a value that could be a default in the schema")
	c.Flags().StringVar(&d.clock, "time", "", "compute ages as of this time, in RFC 3339 (default now)")
	d.sources.Register(c.Flags(), "name of the type in the file given with --schema")
	d.sources.FillStoredKeys = true
	d.sources.RegisterUntyped(c.Flags())
	d.sources.Cluster.RegisterSelection(c.Flags())
	d.write.Register(c.Flags(), "the repaired managed fields")
	form.Register(c.Flags(), append([]string{command.FormText, command.FormYAML, command.FormKYAML, command.FormJSON, command.FormReport, command.FormNDJSON}, ci.Forms...)...)
	return d.sources.Cluster.AcceptNames(r, r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if err := d.check(&form); err != nil {
			return err
		}
		if err := d.write.CheckSelected(r, d.files.Names, &d.sources.Cluster); err != nil {
			return err
		}
		return runDoctor(r, &d, &form)
	}))
}

// doctor holds the flags of the command.
type doctor struct {
	files   input.Files
	sources sources.Flags
	fix     bool
	stats   bool
	stale   string
	clock   string
	write   writing.Flags

	options ownership.ExamineOptions
	now     func() time.Time
}

func (d *doctor) check(form *command.Output) (err error) {
	switch {
	case d.write.Asked() && !d.fix:
		return command.Usagef("--write needs --fix, which makes the changes to write")
	case d.fix && d.stats:
		return command.Usagef("--stats and --fix cannot be used together: leave one of them out")
	case d.write.Asked(): // with --write, the command prints findings but no objects
	case d.fix && form.Form == command.FormText:
		form.Form = command.FormYAML
	case d.fix && ci.Is(form.Form), d.stats && ci.Is(form.Form):
		return command.Usagef("-o %s prints findings only: leave out --fix and --stats", form.Form)
	case !d.fix && form.Form != command.FormText && !form.Reports() && !ci.Is(form.Form):
		return command.Usagef("-o %s requires --fix, because it prints the repaired objects; to list the findings, use -o text or -o report", form.Form)
	}
	if d.stale != "" {
		if d.options.Stale, err = parseAge(d.stale); err != nil {
			return command.Usagef("--stale %s: write a number of days or hours, such as 90d or 12h", d.stale)
		}
	}
	d.now, err = command.Clock(d.clock)
	return err
}

// parseAge parses a duration such as 90d or 12h.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > 36500 {
			return 0, fmt.Errorf("%q is not a number of days", days)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d <= 0 {
		err = fmt.Errorf("%s is not a positive duration", text)
	}
	return d, err
}

// examinedObject is an object and the problems that doctor found in it.
type examinedObject struct {
	outcome *prediction.Outcome
	*ownership.ExamineResult
	// items holds the problems in the items of lists. Problems in managed fields are in
	// ExamineResult.
	items []itemProblem
	// rendered holds the messages and the report of the object.
	rendered *report.Rendered
	// text holds the findings for users.
	text bytes.Buffer
	// repaired is the encoded object after its repair.
	repaired []byte
	err      error
	// item is the change to write to the cluster, or nil.
	item *writing.Item
}

// itemProblem is a problem in the items of a list.
type itemProblem struct {
	*manifest.Error
	rule string
}

func (x *examinedObject) found() bool {
	return x.ExamineResult != nil && len(x.Problems)+len(x.items) > 0
}

func runDoctor(r *command.Run, d *doctor, form *command.Output) error {
	written := form
	if !form.Reports() && !ci.Is(form.Form) {
		written = &command.Output{Form: command.FormText} // findings are text, and -o applies to repaired objects
	}
	e := &examination{r: r, d: d, form: form, writer: report.NewOutcomeWriter(r, written), objects: command.NewObjects(form)}
	if err := prediction.EachObject(r, d.files, &d.sources, e.examine, e.renderOutcome, e.add); err != nil {
		return err
	}
	if e.writer.WriteMessages(); r.Status == command.StatusDone && e.writer.Summary.Found > 0 {
		r.Status = command.StatusDifference
	}
	switch {
	case e.err != nil:
		return e.err
	case d.write.Asked():
		r.WriteMessages(&e.text)
		return d.write.Write(r, d.sources.Cluster.Opened(), "Write the repaired managed fields of", e.items)
	case form.Reports() || e.writer.Findings != nil:
		return e.writer.Results()
	case d.fix && r.Status == command.StatusInvalid:
		r.WriteMessages(&e.text)
		r.Notef("the repaired objects are not printed, because some objects have errors")
		return nil
	case d.fix:
		r.WriteMessages(&e.text)
		r.Later(e.objects.Write)
		return nil
	}
	r.Later(e.text.Flush)
	return nil
}

// examination collects the results of all objects.
type examination struct {
	r      *command.Run
	d      *doctor
	form   *command.Output
	writer *report.OutcomeWriter
	// text holds the findings for users.
	text spool.Text
	// objects holds the repaired objects.
	objects *command.Objects
	// items are the changes to write to the cluster.
	items []*writing.Item
	// err is the first error while encoding or writing output.
	err error
}

func (e *examination) examine(t *sources.Types, object *manifest.Object) *examinedObject {
	x := examine(t, object, e.d)
	if e.d.write.Asked() && x.ExamineResult != nil {
		x.item = writing.Managed(t, x.outcome, x.Object, x.Changed, func(live *manifest.Object) (*prediction.Outcome, map[string]any, bool) {
			again := examine(t, live, e.d)
			if again.ExamineResult == nil {
				return again.outcome, nil, false
			}
			return again.outcome, again.Object, again.Changed
		})
	}
	e.render(&x)
	return &x
}

// renderOutcome renders an outcome that has no object, but only errors in the input.
func (e *examination) renderOutcome(o *prediction.Outcome) *examinedObject {
	x := &examinedObject{outcome: o}
	e.render(x)
	return x
}

// render renders the findings about an object.
func (e *examination) render(x *examinedObject) {
	if e.form.Reports() && x.outcome.Object != nil {
		x.rendered = e.writer.RenderWith(x.outcome, x.report(e.d, &e.r.Masks))
		return
	}
	x.rendered = e.writer.Render(x.outcome)
	if x.ExamineResult == nil || e.writer.Findings != nil {
		return
	}
	if e.d.stats {
		x.err = x.stats(&e.r.Masks).write(&x.text, x.outcome.Object.Identity().String(), e.d.now())
	}
	fixed := e.d.fix && !e.d.write.Asked() // --write repairs objects later
	for _, line := range x.lines(e.d, fixed) {
		fmt.Fprintln(&x.text, line)
	}
	if fixed && x.err == nil {
		x.repaired, x.err = e.objects.Encode(e.r.Masks.Reveal(x.Object))
	}
}

// add adds the results for the next object.
func (e *examination) add(x *examinedObject) {
	e.writer.Add(x.rendered)
	x.count(e.writer.Summary, e.d.fix)
	e.err = cmp.Or(e.err, x.err)
	if e.writer.Findings != nil {
		x.addFindings(e.writer.Findings)
	}
	e.text.Write(x.text.Bytes())
	if x.item != nil {
		e.items = append(e.items, x.item)
	}
	if x.repaired != nil {
		e.objects.Add(x.repaired)
	}
}

// count adds the findings about one object to a summary. If fix is true and the repairs change the
// object, it also counts the object as changed.
func (x *examinedObject) count(s *report.Summary, fix bool) {
	if !x.found() {
		return
	}
	s.Found++
	s.Unchanged-- // the object was counted as unchanged before, but it has findings
	if fix && x.Changed {
		s.Changed++
	}
	for i := range x.Problems {
		s.AddFinding(string(x.Problems[i].Rule), rules.Warning)
	}
	for _, e := range x.items {
		s.AddFinding(e.rule, rules.Warning)
	}
}

// examine finds the problems of one object.
func examine(t *sources.Types, object *manifest.Object, d *doctor) examinedObject {
	o := prediction.ReadLive(t, object)
	x := examinedObject{outcome: o}
	if len(o.Errors) > 0 {
		return x
	}
	var err error
	content := unstructured.SecretAsWritten(object.Content)
	options := d.options
	options.Unserved = t.Unserved
	if id := object.Identity(); t.Custom(id) || t.FromGo(id.APIVersion, id.Kind) {
		options.Custom = func(_, _ string) bool { return t.Custom(id) }
	}
	if x.ExamineResult, err = ownership.Examine(t.FieldManager(d.now), content, options); err != nil {
		x.ExamineResult = nil
		o.Explain(err)
		return x
	}
	if x.Object != nil && object.Content[unstructured.SecretStringData] == nil && content[unstructured.SecretStringData] != nil {
		x.Object = unstructured.Shallow(x.Object)
		delete(x.Object, unstructured.SecretStringData)
	}
	for _, e := range duplicateItems(o) {
		x.items = append(x.items, itemProblem{e, duplicateItem})
	}
	for _, e := range x.sharedPortNames(t) {
		x.items = append(x.items, itemProblem{e, sharedPortName})
	}
	return x
}

// duplicateItems finds list items that repeat the keys of an earlier item. In a set, it finds
// repeated values. API servers reject an apply that contains duplicates.
func duplicateItems(o *prediction.Outcome) (found manifest.Errors) {
	if len(duplicatesOf(o, o.Type)) == 0 {
		return nil
	}
	// The type also treats null and a missing key as equal, but servers do not.
	t := o.Type
	t.Schema = new(schema.Schema)
	o.Type.Schema.CopyInto(t.Schema)
	t.Schema.DeclarativeDefaults = false
	for _, e := range duplicatesOf(o, t) {
		found = append(found, input.Findings(o.Object, t, typed.ValidationErrors{e})...)
	}
	return found
}

func duplicatesOf(o *prediction.Outcome, t typed.ParseableType) typed.ValidationErrors {
	_, err := t.FromUnstructured(unstructured.WithoutManagedFields(o.Object.Content))
	all, _ := err.(typed.ValidationErrors)
	return slices.DeleteFunc(slices.Clone(all), func(e typed.ValidationError) bool {
		f := diag.Of(e)
		return f == nil || f.Code != diag.Duplicate
	})
}

// These rules classify findings about list items.
const (
	duplicateItem  = "duplicate-item"
	sharedPortName = "shared-port-name"
)

// sharedPortNames finds ports that have the same name as another port in a list of the live
// object.
func (x *examinedObject) sharedPortNames(t *sources.Types) (found manifest.Errors) {
	if !prediction.NeedsUniquePortNames(x.outcome.Type) || !prediction.SharePortNames(x.Object) {
		return nil
	}
	b, err := ownership.Blame(t.FieldManager(nil), x.Object)
	if err != nil {
		return nil // Examine has already reported this error
	}
	for _, s := range prediction.PortNames(b) {
		found = append(found, x.outcome.Object.Errorf(s.Path, "%s", s.Message))
	}
	return found
}

// lines returns the human-readable findings, one per line.
func (x *examinedObject) lines(d *doctor, fix bool) []string {
	var lines []string
	for i := range x.Problems {
		p := &x.Problems[i]
		line := fmt.Sprintf("%v: %v: %s: %s: %s", x.at(p), x.outcome.Object.Identity(), p.Rule, subject(p), words.TrimColon(p.Message))
		switch {
		case p.Repair != "" && fix:
			line += "; repaired: " + p.Repair
		case p.Repair != "":
			line += "; after --fix: " + p.Repair
		}
		lines = append(lines, words.OneLine(line+x.advice(p, d)))
	}
	for _, e := range x.items {
		lines = append(lines, words.OneLine(fmt.Sprintf("%v: %v: %s: %s: %s", manifest.Position{File: e.File, Line: e.Line}, x.outcome.Object.Identity(), e.rule, e.Path, e.Message)))
	}
	return lines
}

// at returns the position of a problem in its file. This is the position of the managed fields
// entry to which the problem belongs. If there is none, it is the position of the problem's path.
// If there is no path, it is the position of the field managedFields.
func (x *examinedObject) at(p *ownership.Problem) manifest.Position {
	if p.Index < 0 {
		if len(p.Path) > 0 {
			return x.outcome.Object.Position(p.Path.String())
		}
		return x.outcome.Object.At("metadata", "managedFields")
	}
	return x.outcome.Object.At("metadata", "managedFields", p.Index)
}

// subject returns text that names the owner and the path of a problem.
func subject(p *ownership.Problem) string {
	var parts []string
	if p.Owner.Operation != "" {
		parts = append(parts, words.Owner(p.Owner, p.Time))
	} else if p.Index >= 0 {
		parts = append(parts, fmt.Sprintf("entry %d", p.Index))
	}
	if len(p.Path) > 0 {
		parts = append(parts, p.Path.String())
	}
	if len(parts) == 0 {
		return ".metadata.managedFields"
	}
	return strings.Join(parts, ": ")
}

// advice returns the end of a message: a migrate command that solves the problem. It returns "" if
// no command solves the problem.
func (x *examinedObject) advice(p *ownership.Problem, d *doctor) string {
	from, to := p.Owner, p.Other
	switch p.Rule {
	case ownership.ClientSideOrphan:
		to = x.applier()
	case ownership.TwoNames:
	default:
		return ""
	}
	if from.Operation != managedfields.OperationUpdate || to.Manager == "" {
		return ""
	}
	return "; run: " + prediction.NewMigration(x.outcome.Live, len(d.files.Names) == 0, &d.sources, []string{from.Manager}, to.Manager, from.Subresource).String()
}

// applier returns an owner that applies the object, and ignores entries with a subresource. It
// prefers the manager kubectl, and then the owner of the first entry. If no owner applies the
// object, it returns the zero value.
func (x *examinedObject) applier() (owner managedfields.Owner) {
	managed, err := managedfields.Decode(x.Object)
	if err != nil {
		return owner // unreadable managed fields have no owners
	}
	for _, e := range managed.Entries() {
		if e.Operation == managedfields.OperationApply && e.Subresource == "" && (owner.Manager == "" || e.Manager == "kubectl") {
			owner = e.Owner
		}
	}
	return owner
}
