// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/typed"
)

// NewUpgradeCheck returns the command upgrade-check.
func NewUpgradeCheck(r *command.Run) *cobra.Command {
	var (
		u       upgradeCheck
		objects input.Files
		form    command.Output
	)
	c := &cobra.Command{
		Use:   "upgrade-check {--old-crd OLD|--context NAME} --new-crd NEW [-f OBJECTS]",
		Short: "Show what a new version of a CRD or of Kubernetes breaks",
		Long: `Compare old CustomResourceDefinitions with new ones, and report three kinds of changes:

  Objects       The new CRD rejects, drops or changes values of objects. The
                reasons are removed versions and fields, changed types, new
                required fields, tighter enums and bounds, and changed rules,
                defaults and immutability markers.
  Ownership     The owners of fields change. The reasons are changed list
                keys, changed defaults of list keys, and lists and maps that
                become atomic or granular.
  Invalid CRDs  The API server would reject the new CRD, for example because
                a default is invalid.

An error means that the new CRD rejects or drops a value that is stored or sent today. A warning
means that this may happen, or that a value gets another meaning. A hint means that nothing
breaks, for example because a new field has a default.

The command does not report changes that only accept more values, with two exceptions. A field that
a CRD no longer requires is a hint. A removed CEL rule about updates, such as self == oldSelf, is a
warning. CEL rules and conditions that only have a new text, but the same meaning, are not reported.

The command also compares the old storage version with each version that only the new CRD serves,
because clients can read stored objects in the new version. For the same reason, if a field
is new in a version, the command compares it with the same field of the old storage version. If a
webhook converts objects, the command does neither.

This page explains each rule, and how to handle its findings:

  https://github.com/dovetail-ssa/dovetail/blob/main/docs/findings.md#upgrades

With --old-kubernetes and --new-kubernetes, compare two Kubernetes releases. The command reports
removed versions, kinds, fields and subresources, together with their replacements. It also
reports changed types, merge rules and defaults.

"dovetail version" lists the releases that dovetail contains. For any other release, or for the
types of a cluster, pass a directory with all its OpenAPI v3 documents. In this case, the command
cannot compare defaults that are set by Go code. It never compares validation in Go code.

With -f, read live objects, in the format of "kubectl get -o yaml --show-managed-fields". The
command then also reports which objects are affected, and how:

  Values   The new schema rejects or drops a value, or sets another default.
           If the old schema rejects the object too, this is only a hint.
  Owners   With the new schema, managed fields refer to different list items,
           or to fields and versions that do not exist. An item gets a second
           owner, or the owners of a map or list change.

With --context, -n or another cluster flag, read the old state from the cluster. This is the live
objects, the CRDs that --new-crd would replace, and the Kubernetes release to compare with
--new-kubernetes. The command does not change the cluster.

Exit status: 0 no findings; 1 findings; 3 invalid input.`,
		Example: `  # Show what a new release of an operator changes in its CRDs.
  dovetail upgrade-check --old-crd crds-1.4.yaml --new-crd crds-1.5.yaml

  # Show which live objects these changes break.
  kubectl get databases -A -o yaml --show-managed-fields |
    dovetail upgrade-check --old-crd crds-1.4.yaml --new-crd crds-1.5.yaml -f -

  # Show what a newer Kubernetes release removes.
  dovetail upgrade-check --old-kubernetes 1.35 --new-kubernetes 1.37

  # Show which live objects the newer Kubernetes release breaks.
  dovetail upgrade-check --old-kubernetes 1.35 --new-kubernetes 1.37 -f all-live.yaml

  # Compare OpenAPI documents with a group that an API server serves.
  kubectl get --raw /openapi/v3/apis/example.com/v1 > served.json
  dovetail upgrade-check --old-kubernetes openapi.json --new-kubernetes served.json

  # Print JSON.
  dovetail upgrade-check --old-crd old.yaml --new-crd new.yaml -f live.yaml -o report`,
	}
	u.old.CRDs.Register(c.Flags(), "old-crd", "", "old CustomResourceDefinitions: a file or directory (repeatable)")
	u.now.CRDs.Register(c.Flags(), "new-crd", "", "new CustomResourceDefinitions: a file or directory (repeatable)")
	u.old.RegisterKubernetes(c.Flags(), "old-kubernetes", "old Kubernetes `release`, such as 1.36, or a file or directory with its OpenAPI v3 documents")
	u.now.RegisterKubernetes(c.Flags(), "new-kubernetes", "new Kubernetes `release`, such as 1.37, or a file or directory with its OpenAPI v3 documents")
	objects.Register(c.Flags(), "filename", "f", "live objects: a file, a directory, or - for standard input (repeatable)")
	u.cluster.RegisterSelection(c.Flags())
	u.choice.register(c.Flags(), rules.Upgrade())
	form.RegisterFindings(c.Flags())
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if err := u.choice.parse(c.Flags().Changed("min-severity")); err != nil {
			return err
		}
		if err := u.checkCluster(r); err != nil {
			return err
		}
		if (u.old.Kubernetes() == "") != (u.now.Kubernetes() == "") {
			return command.Usagef("--old-kubernetes and --new-kubernetes must be used together: give both")
		}
		for _, f := range []input.Files{u.old.CRDs, u.now.CRDs} {
			if u.cluster.Enabled() && f.Flag == u.old.CRDs.Flag {
				continue // the cluster provides the old CRDs
			}
			if len(f.Names) == 0 && (u.old.Kubernetes() == "" || len(u.old.CRDs.Names)+len(u.now.CRDs.Names) > 0) {
				return command.Usagef("%s is missing: name the file with the CustomResourceDefinitions", f.Flag)
			}
		}
		if err := sources.NeedsRules("to check a CRD"); err != nil {
			return err
		}
		err := runUpgradeCheck(r, &u, objects)
		if errs, ok := input.Errors(err); ok {
			u.errors, err = append(u.errors, errs...), nil
		}
		if err != nil {
			return err
		}
		return finishUpgrade(r, &u, &form)
	})
}

// checkCluster rejects flags that cannot be combined with a cluster. With --new-kubernetes, it
// also requests the release of the cluster and makes it the old release.
func (u *upgradeCheck) checkCluster(r *command.Run) error {
	switch {
	case !u.cluster.Enabled():
		return nil
	case len(u.old.CRDs.Names) > 0 || u.old.Kubernetes() != "":
		return command.Usagef("--old-crd and --old-kubernetes cannot be used with a cluster, because the old definitions come from the cluster: leave them out")
	case u.now.Kubernetes() == "":
		return nil
	}
	c, err := u.cluster.Open(r)
	if err != nil {
		return err
	}
	_, release, err := c.Version()
	u.old.SetKubernetes(release)
	return err
}

// upgradeCheck holds the old and the new types, and the findings.
type upgradeCheck struct {
	old, now sources.Flags
	cluster  cluster.Flags
	types    struct{ old, now *sources.Types }

	changes []typeChange
	moves   []objectMove
	errors  manifest.Errors
	breaks  func(o *manifest.Object) []objectMove
	// newVersions lists the versions that only the new definitions serve, and new storage versions.
	// breaksInNew checks an object against such a version.
	newVersions []newVersion
	breaksInNew func(o *manifest.Object, v newVersion) []objectMove
	choice      ruleChoice
	hidden      notChosen // findings that the command does not report
	// newDefaults lists the defaults of new fields that the command mentions in a note,
	// because it does not report them as findings.
	newDefaults []string
	live        int // number of live objects
	// unchecked counts the live objects of each type that could not be checked, because a definition
	// is invalid.
	unchecked map[string]int
	// invalid is the number of live objects with an unreported finding of the rule
	// "already-invalid".
	invalid int
	foreign foreignObjects
	// oldRelease is the old Kubernetes release. It is set only if the command compares releases.
	oldRelease string
}

// choose removes the changes that the flags exclude, and sorts the rest by severity. It also
// removes changes that repeat a problem with the same field. These are repeated "immutability"
// changes, and "default-" changes of a field that has an "immutable-default" change.
func (u *upgradeCheck) choose() {
	type place struct{ apiVersion, kind, path string }
	immutable, marked := map[place]bool{}, map[place]bool{}
	for _, c := range u.changes {
		if c.rule == "immutable-default" {
			immutable[place{c.apiVersion, c.kind, c.path}] = true
		}
	}
	u.changes = slices.DeleteFunc(u.changes, func(c typeChange) bool {
		at := place{c.apiVersion, c.kind, c.path}
		if strings.HasPrefix(c.rule, "default-") && immutable[at] || c.rule == "immutability" && marked[at] {
			return true
		}
		marked[at] = marked[at] || c.rule == "immutability"
		if !u.choice.includes(c.rule, c.severity()) {
			u.hidden.add(&u.choice, c.rule, c.severity())
			if c.rule == newFieldDefault && !u.choice.without[c.rule] && len(u.choice.only) == 0 {
				u.newDefaults = append(u.newDefaults, c.apiVersion+" "+c.kind+" "+c.path+"="+words.Flow(c.now))
			}
			return true
		}
		return false
	})
	slices.SortStableFunc(u.changes, func(a, b typeChange) int { return cmp.Compare(b.severity(), a.severity()) })
}

// objectMove is an effect of the new types on a live object or on its managed fields. It can
// affect several field managers.
type objectMove struct {
	at     manifest.Position
	object manifest.Identity
	reason string
	path   string
	now    string // the new path, or empty if the path stays the same
	why    string
	owners []managedfields.Owner
	// newVersion is the name of a new version if the effect concerns only clients that use it.
	newVersion string
	// duplicate is true if the effect is that the new type rejects a duplicate list item.
	duplicate bool
}

// These are values of objectMove.reason.
const (
	// versionGone means that the new types do not contain the API version of an object or of a
	// managed fields entry.
	versionGone = "version-gone"
	// newFieldDefault means that a new field has a default.
	newFieldDefault = "new-field-default"
	// alreadyInvalid means that the old schema already rejects the value.
	alreadyInvalid = "already-invalid"
)

// String formats the effect as one line, like a finding about a type.
func (m *objectMove) String() string {
	why := m.why
	if m.now != "" {
		why = "becomes " + m.now + ": " + why
	}
	if len(m.owners) > 0 {
		owners := make([]string, len(m.owners))
		for i, o := range m.owners {
			owners[i] = words.Owner(o, nil)
		}
		why += "; owned by " + strings.Join(slices.Compact(owners), ", ")
		if note := m.note(); note != "" {
			why += "; " + note
		}
	}
	return fmt.Sprintf("%v: %v: %s%s (%s, %v)", m.at, m.object, ci.PathPrefix(m.path), why, m.reason, m.severity())
}

func runUpgradeCheck(r *command.Run, u *upgradeCheck, objects input.Files) error {
	var err error
	if u.types.old, err = sources.Read(r, &u.old, true); err != nil {
		return err
	}
	if u.types.now, err = sources.Read(r, &u.now, true); err != nil {
		return err
	}
	var live []*manifest.Object
	if u.cluster.Enabled() {
		if live, err = u.readCluster(r); err != nil {
			return err
		}
	}
	u.newVersions = newVersions(u.types.old, u.types.now)
	u.changes = slices.Concat(rejectedUpdates(u.types.old, u.types.now), breakingChanges(u.types.old, u.types.now), mergeChanges(u.types.old, u.types.now),
		mergeChangesInNewVersions(u.types.old, u.types.now, u.newVersions))
	u.breaks, u.breaksInNew = breaksObject(u.types.old, u.types.now, u.changes, u.addUnchecked), breaksInNewVersion(u.types.old, u.types.now)
	if u.old.Kubernetes() != "" {
		u.oldRelease = u.types.old.Catalog.Release()
		if err := checkComplete(u.types.old, u.types.now); err != nil {
			return err
		}
		custom := u.breaks
		u.breaks = func(o *manifest.Object) []objectMove {
			return append(custom(o), breaksBuiltin(u.types.old, u.types.now, o)...)
		}
		u.changes = append(u.changes, releaseChanges(u.types.old, u.types.now)...)
		for _, t := range []*sources.Types{u.types.old, u.types.now} {
			if release := t.Catalog.Release(); strings.Contains(release, "-") {
				r.Warnf("%s is not released yet, so its changes may not be final: versions that it plans to remove are reported as removed", t.Kubernetes())
			}
		}
	}
	u.choose()
	if len(objects.Names) == 0 {
		r.Masks.HideIn(live)
		return u.checkObjects(r, live)
	}
	found, errs, err := input.ReadObjects(r, objects)
	if err != nil {
		return err
	}
	u.errors = append(u.errors, errs...)
	if len(found) == 0 && len(errs) == 0 {
		input.NoteNoObjects(r, objects)
	}
	return u.checkObjects(r, found)
}

// checkObjects finds the effects of the upgrade on live objects.
func (u *upgradeCheck) checkObjects(r *command.Run, found []*manifest.Object) error {
	options := ownership.RekeyOptions{Old: u.types.old.Find, New: u.types.now.Find, Converter: u.types.now.Convert}
	defer u.foreign.note(r)
	defer u.warnOfUnchecked(r)
	defer u.chooseMoves()
	u.live = len(found)
	for o := range command.Counted(r, found) {
		if u.old.Kubernetes() != "" && u.foreign.skip(u.types.old, u.types.now, o.Identity()) {
			continue
		}
		err := u.checkObject(options, o)
		var bad *managedfields.EntryError
		if errors.As(err, &bad) {
			u.errors = append(u.errors, input.BrokenEntry(o, bad))
		} else if err != nil {
			u.errors = append(u.errors, o.Errorf("", "%v", err))
		}
	}
	return nil
}

// addUnchecked counts a live object that could not be checked.
func (u *upgradeCheck) addUnchecked(id manifest.Identity) {
	if u.unchecked == nil {
		u.unchecked = map[string]int{}
	}
	u.unchecked[id.APIVersion+" "+id.Kind]++
}

// warnOfUnchecked warns about the live objects that could not be checked.
func (u *upgradeCheck) warnOfUnchecked(r *command.Run) {
	for _, name := range slices.Sorted(maps.Keys(u.unchecked)) {
		r.Warnf("the values of %s of the type %s were not checked, because a CRD is invalid; correct it first", words.Count(u.unchecked[name], "object"), name)
	}
}

// chooseMoves removes the effects on live objects that the flags exclude. Some of these effects are
// about objects that were already invalid before the upgrade. The number of these objects is stored
// in u.invalid.
func (u *upgradeCheck) chooseMoves() {
	invalid := map[manifest.Identity]bool{}
	u.moves = slices.DeleteFunc(u.moves, func(m objectMove) bool {
		if u.choice.includesMove(m.reason, m.severity()) {
			return false
		}
		u.hidden.add(&u.choice, m.reason, m.severity())
		if m.reason == alreadyInvalid {
			invalid[m.object] = true
		}
		return true
	})
	u.invalid = len(invalid)
}

// checkObject finds the effects of the upgrade on one object and its managed fields.
func (u *upgradeCheck) checkObject(options ownership.RekeyOptions, o *manifest.Object) error {
	id := o.Identity()
	if _, err := u.types.old.Find(id.APIVersion, id.Kind); err != nil {
		return err
	}
	rekeyed, err := ownership.Rekey(o.Content, options)
	if err != nil {
		return err
	}
	if _, err := u.types.now.Find(id.APIVersion, id.Kind); errors.Is(err, fieldmanager.ErrUnknownType) {
		u.moves = append(u.moves, objectMove{at: o.Start(), object: id, reason: versionGone, path: ".", why: id.APIVersion + " is no longer served: requests in this version fail"})
	}
	first := len(u.moves)
	u.moves = append(u.moves, u.breaks(o)...)
	add := func(m objectMove, owner managedfields.Owner) {
		same := slices.IndexFunc(u.moves[first:], func(n objectMove) bool {
			return n.reason == m.reason && n.path == m.path && n.now == m.now && n.why == m.why && n.newVersion == m.newVersion
		})
		if same < 0 {
			m.at, m.object = o.Position(m.path), id
			same = len(u.moves) - first
			u.moves = append(u.moves, m)
		}
		all := &u.moves[first+same].owners
		*all = append(*all, owner)
	}
	addMove := func(m ownership.OwnerMove, newVersion, why string) {
		move := objectMove{reason: string(m.Reason), path: m.Old.String(), why: why, newVersion: newVersion}
		if !m.Old.Equals(m.New) {
			move.now = m.New.String()
		}
		add(move, m.Owner)
	}
	for _, m := range rekeyed.Moves {
		addMove(m, "", m.Why)
	}
	for _, v := range u.newVersions {
		if v.kind != id.Kind || unstructured.GroupOf(v.apiVersion) != unstructured.GroupOf(id.APIVersion) {
			continue
		}
		for _, m := range u.breaksInNew(o, v) {
			if !slices.ContainsFunc(u.moves[first:], func(n objectMove) bool { return n.reason == m.reason && n.path == m.path }) {
				u.moves = append(u.moves, m)
			}
		}
		moves, err := rekeyForNewVersion(options, o, v)
		if err != nil {
			return err
		}
		name := versionName(v.apiVersion)
		for _, m := range moves {
			why := "in the new version " + name + ": " + m.Why
			switch m.Reason {
			case typed.MoveBecameAtomic:
				why = "the fields or items are owned separately, but the value is atomic in the new version " + name
			case typed.MoveBecameGranular:
				why = "the value is owned as a whole, but its fields or items have their own owners in the new version " + name
			}
			addMove(m, name, why)
		}
	}
	for _, e := range rekeyed.Managed.Entries() {
		if _, err := u.types.old.Find(e.APIVersion, id.Kind); err != nil {
			continue
		}
		if _, err := u.types.now.Find(e.APIVersion, id.Kind); errors.Is(err, fieldmanager.ErrUnknownType) {
			add(objectMove{reason: versionGone, path: ".metadata.managedFields", why: e.APIVersion + " " + u.entryGone(e.APIVersion, id.Kind)}, e.Owner)
		}
	}
	return nil
}

// rekeyForNewVersion compares the managed fields that were written in the old storage version with
// a new version of the type. The result lists paths that have another meaning for clients that use
// the new version, because servers do not convert managed fields.
func rekeyForNewVersion(options ownership.RekeyOptions, o *manifest.Object, v newVersion) (moves []ownership.OwnerMove, err error) {
	serves := options.New
	if _, err := serves(v.stored, v.kind); err != nil || !v.served {
		return nil, nil // nothing changes, or another finding reports that the old version is gone
	}
	options.New = func(apiVersion, kind string) (typed.ParseableType, error) {
		if apiVersion == v.stored {
			apiVersion = v.apiVersion
		}
		return serves(apiVersion, kind)
	}
	rekeyed, err := ownership.Rekey(o.Content, options)
	if err != nil {
		return nil, err
	}
	for _, m := range rekeyed.Moves {
		if m.Owner.APIVersion == v.stored && m.Reason != typed.MoveFieldGone {
			moves = append(moves, m)
		}
	}
	return moves, nil
}

// entryGone explains what happens to a managed fields entry whose API version is no longer served.
func (u *upgradeCheck) entryGone(apiVersion, kind string) string {
	switch _, err := u.types.now.Owned(apiVersion, kind); {
	case errors.Is(err, predict.ErrNoVersion):
		return "is removed from the definition: every apply to the object fails while an entry has this version; move the entry to another version first, with dovetail doctor --fix"
	case err == nil:
		return "is no longer served: the entry stays, and every apply fails if the object has a field that this version does not declare"
	}
	return "is no longer served: the next write removes the entry"
}

// UpgradeReport is the report of upgrade-check about a type that changes, or about a live
// object that a change affects. Its JSON encoding is stable.
type UpgradeReport struct {
	// ObjectReport identifies the live object or the type. A type has no name and no namespace.
	report.ObjectReport
	// Changes lists the changes of the type.
	Changes []changeReport `json:"changes"`
	// Moves lists the effects on the live object.
	Moves []moveReport `json:"moves"`
}

// changeReport is one change of a type that may break objects or requests.
type changeReport struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Path string `json:"path"`
	// Rule is the name of a rule in docs/findings.md. Later versions may add rules.
	Rule     string         `json:"rule"`
	Severity rules.Severity `json:"severity"`
	// Old is the old value, or null if there was none.
	Old any `json:"old"`
	// New is the new value, or null if there is none.
	New     any    `json:"new"`
	Message string `json:"message"`
}

// moveReport is one effect on a path of a live object, or on the owners of the path.
type moveReport struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Reason is the name of a reason in docs/findings.md. Later versions may add reasons.
	Reason string `json:"reason"`
	// Old is the path before the upgrade.
	Old string `json:"old"`
	// New is the path after the upgrade. It is equal to Old if the path does not change.
	New     string `json:"new"`
	Message string `json:"message"`
	// Note explains the effect on the owners. It may be empty.
	Note   string               `json:"note"`
	Owners []report.OwnerReport `json:"owners"`
}

// reports returns one report for each type that changes, and for each affected live object.
// The reports are in the order of their first findings.
func (u *upgradeCheck) reports() (all []*UpgradeReport) {
	known := map[report.ObjectReport]*UpgradeReport{}
	reportOn := func(object report.ObjectReport) *UpgradeReport {
		p := known[object]
		if p == nil {
			p = &UpgradeReport{ObjectReport: object, Changes: []changeReport{}, Moves: []moveReport{}}
			known[object], all = p, append(all, p)
		}
		return p
	}
	for _, c := range u.changes {
		p := reportOn(report.ObjectReport{APIVersion: c.apiVersion, Kind: c.kind, Name: c.crd})
		p.Changes = append(p.Changes, changeReport{c.at.File, c.at.Line, c.path, c.rule, c.severity(), c.old, c.now, c.message})
	}
	for _, m := range u.moves {
		move := moveReport{
			File: m.at.File, Line: m.at.Line, Reason: m.reason, Old: m.path, New: cmp.Or(m.now, m.path),
			Message: m.why, Note: m.note(), Owners: []report.OwnerReport{},
		}
		for _, o := range m.owners {
			move.Owners = append(move.Owners, report.ReportOwner(o))
		}
		p := reportOn(report.ReportObject(m.object))
		p.Moves = append(p.Moves, move)
	}
	return all
}

// finishUpgrade prints the findings and sets the exit status.
func finishUpgrade(r *command.Run, u *upgradeCheck, form *command.Output) error {
	s := u.summary()
	report.Errors(r, u.errors, s)
	u.hidden.write(r, &u.choice)
	if len(u.newDefaults) > 0 {
		r.Notef("stored objects now show the defaults of new fields: %s", words.ShortList(u.newDefaults))
	}
	if u.invalid > 0 {
		r.Notef("already invalid with the old CRDs: %s; to see why, add --min-severity=hint", words.Count(u.invalid, "object"))
	}
	switch {
	case len(u.errors) > 0:
		r.Status = command.StatusInvalid
	case len(u.changes)+len(u.moves) > 0:
		r.Status = command.StatusDifference
	}
	if form.Reports() {
		return report.WriteReports(r, form, s, u.reports())
	}
	if ci.Is(form.Form) {
		return u.findings(r).Write(&r.Out, form.Form)
	}
	printf := func(format string, args ...any) {
		fmt.Fprintln(&r.Out, words.Visible(fmt.Sprintf(format, args...)))
	}
	for _, c := range u.changes {
		printf("%v: %s: %s%s (%s, %v)", c.at, c.subject(), ci.PathPrefix(c.path), c.message, c.rule, c.severity())
	}
	for i := range u.moves {
		printf("%v", &u.moves[i])
	}
	return nil
}

// summary counts the live objects and the findings.
func (u *upgradeCheck) summary() *report.Summary {
	s := report.NewSummary()
	s.Objects, s.OldKubernetesVersion = u.live, u.oldRelease
	objects := map[manifest.Identity]bool{}
	for _, c := range u.changes {
		s.AddFinding(c.rule, c.severity())
	}
	for i := range u.moves {
		m := &u.moves[i]
		objects[m.object] = true
		s.AddFinding(m.reason, m.severity())
	}
	s.Found = len(objects)
	return s
}

// findings returns the findings for CI systems.
func (u *upgradeCheck) findings(r *command.Run) *ci.Report {
	all := &ci.Report{Command: r.Name}
	if u.types.now == nil { // the new types could not be read
		all.AddErrors(ci.Subject{}, u.errors)
		return all
	}
	for _, k := range u.types.now.Catalog.Kinds() {
		if u.types.now.FromCRD(k) && k.Resource != "" {
			all.Look(ci.Subject{Name: k.APIVersion + " " + k.Kind})
		}
	}
	all.AddErrors(ci.Subject{}, u.errors)
	for _, c := range u.changes {
		if c.at.File == u.types.now.Kubernetes() && u.types.now.Catalog.Release() != "" {
			c.at = manifest.Position{} // the source of the change is a Kubernetes release, not a file
		}
		all.Add(ci.Finding{Rule: ci.Of(c.rule, c.severity()), At: c.at, Subject: ci.Subject{Name: c.subject()}, Path: c.path, Message: c.message})
	}
	for _, m := range u.moves {
		all.Add(ci.Finding{Rule: ci.Of(m.reason, m.severity()), At: m.at, Subject: ci.Subject{Name: m.object.String(), File: m.at.File}, Path: m.path, Message: m.why})
	}
	return all
}

// severity returns error if the object loses fields or becomes invalid, or if its API version is
// no longer served. It returns hint if the upgrade breaks nothing, and warning otherwise.
func (m *objectMove) severity() rules.Severity {
	switch m.reason {
	case "refused", "dropped", versionGone:
		return rules.Error
	case newFieldDefault, alreadyInvalid:
		return rules.Hint
	}
	return rules.Warning
}

// note explains what an upgrade means for the owners of a field. It returns "" if there is nothing
// to explain.
func (m *objectMove) note() string {
	switch {
	case m.newVersion != "" && m.reason == string(typed.MoveBecameAtomic):
		return "a manager that applies in " + m.newVersion + " owns the whole value"
	case m.newVersion != "" && m.reason == string(typed.MoveBecameGranular):
		return "apply the unchanged manifest once in " + m.newVersion + " before you leave out fields or items; otherwise the server keeps them"
	case m.reason == string(typed.MoveBecameAtomic) && len(m.owners) > 1:
		return "each owner now owns the whole value: an apply of another value conflicts with the other owners"
	case m.reason == string(typed.MoveBecameGranular):
		return "no manager owns the fields or items in it, unless you migrate the managed fields after the upgrade (dovetail migrate --old-crd) or apply the unchanged manifest once more: an apply that leaves them out keeps them, and any manager can change them"
	}
	return ""
}
