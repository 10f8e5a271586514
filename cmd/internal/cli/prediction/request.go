// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Requests holds the flags of a command that predicts requests.
type Requests struct {
	config, Live        input.Files
	Sources             sources.Flags
	Manager             string
	force, yield, share pathChoice
	anyOrder            bool
	strictLive          bool
	subresource         string
	clock               string
	Duplicates          Duplicates
	policies            input.Files
	user                string
	kubectl             kubectlMode
	// noManagedFields allows files of live objects without managed fields.
	noManagedFields bool
	// requireLive makes the command fail if the files of --live contain no object.
	requireLive bool
	// sends is set if the command also sends the request to a cluster.
	sends  bool
	groups []string
	Trace  Trace
	// asGiven is set if the requests come from another program, and not from the command line (see
	// Given). There are three differences. Managed fields in the config are sent, so that the server
	// rejects them. Messages name options instead of flags. All resolved conflicts are listed, even if
	// all conflicts are forced.
	asGiven bool
	// Reports is set for commands whose report (-o report) contains the resolutions of
	// conflicts.
	Reports bool
}

// Register adds the flags that all requests have. objects describes the files of -f in the
// help.
func (q *Requests) Register(flags *pflag.FlagSet, objects string) {
	q.config.Register(flags, "filename", "f", objects+": a file, a directory, or - for standard input (repeatable, required)")
	q.Live.Register(flags, "live", "", "live objects: a file, a directory, or - for standard input (repeatable)")
	flags.StringVar(&q.Manager, "field-manager", "", "manager that makes the request (required)")
	flags.StringVar(&q.clock, "time", "", "time of the request in RFC 3339; managed fields record this time (default now)")
	flags.StringVar(&q.subresource, "subresource", "", "subresource of the request, such as status")
	RegisterAnyOrder(flags, &q.anyOrder)
	flags.BoolVar(&q.noManagedFields, noManagedFieldsFlag, false, "accept live objects that have a uid, but no managed fields; in an apply, "+fieldmanager.BeforeFirstApply+" then owns their fields")
	flags.BoolVar(&q.requireLive, requireLiveFlag, false, "fail if --live contains no object, for example because the dump failed")
	flags.BoolVar(&q.strictLive, "strict-live", false, "reject live objects with fields that the schema does not declare (default: keep these fields, and print a warning)")
	q.policies.Register(flags, "policies", "", "admission policies for the request, with their bindings, params and Namespaces: a file or directory (repeatable)")
	flags.StringVar(&q.user, "policy-user", "", "`name` of the user that makes the request, for policies that check the user")
	flags.StringArrayVar(&q.groups, "policy-group", nil, "`group` of the user that makes the request, in addition to the groups that every user has (repeatable)")
	q.Trace.Register(flags)
	q.Sources.Register(flags, "name of the type in the file given with --schema")
	q.Sources.RegisterUntyped(flags)
	q.Sources.RegisterConversion(flags)
	q.Sources.Proposals.RegisterDeclarative(flags)
	q.Sources.Proposals.RegisterUnions(flags)
	q.Sources.Proposals.RegisterMarkers(flags)
	q.Sources.Proposals.RegisterQuantities(flags)
	q.Sources.RegisterNative(flags)
	q.Sources.Cluster.Register(flags)
}

// requireLiveFlag is the flag that rejects an empty dump of the live objects.
const requireLiveFlag = "require-live"

// RegisterApply adds the flags of a command that predicts applies.
func (q *Requests) RegisterApply(flags *pflag.FlagSet) {
	q.Register(flags, "objects to apply")
	q.Duplicates.Register(flags, DuplicatesError)
	q.registerChoices(flags)
	q.kubectl.register(flags)
	q.Sources.Proposals.RegisterZero(flags)
}

// A Requester predicts all requests of a command, which have the same flags. It is safe for
// concurrent use.
type Requester struct {
	*Requests
	Types *sources.Types
	Now   func() time.Time
	// update selects updates. The default is an apply.
	update bool
	// paths holds the paths given with --force-conflicts, --yield and --share.
	paths []*chosenPath
	// policies are evaluated for each request. It is nil without --policies.
	policies predict.Policies
	// podSecurity checks Pods and workloads. It is nil if there are no such checks.
	podSecurity predict.PodSecurity
	// masks hides the values of Secrets. It may be nil.
	masks *unstructured.Masks
	// others lists objects of a kind for admission plugins.
	others Others
	// ownsAny is set if the manager owns a field of any live object. This field and the next ones
	// are for noteUnknownManager.
	ownsAny atomic.Bool
	// anyChange is set if a request changes a live object in which the manager owns nothing.
	anyChange atomic.Bool
	mu        sync.Mutex
	// appliers lists the managers that apply live objects in which the manager owns nothing.
	appliers []string
	// appliedByOthers is the number of these live objects.
	appliedByOthers int
}

// MakeRequests reads the input and predicts a request for each object, several at a time. It
// converts each outcome with convert, which must be safe for concurrent use. It passes the results
// to handle in the order of the input. If the input has errors, they are in an Outcome whose Maker
// is nil.
func MakeRequests[T any](r *command.Run, q *Requests, update bool, convert func(*Outcome) T, handle func(T)) error {
	err := makeAll(r, q, update, convert, handle)
	if errs, ok := input.Errors(err); ok {
		handle(convert(&Outcome{Errors: errs}))
		return nil
	}
	return err
}

func makeAll[T any](r *command.Run, q *Requests, update bool, convert func(*Outcome) T, handle func(T)) error {
	if err := q.check(); err != nil {
		return err
	}
	if err := q.checkChoices(); err != nil {
		return err
	}
	now, err := command.Clock(q.clock)
	if err != nil {
		return err
	}
	if len(q.Live.Names) == 0 {
		q.Sources.Cluster.EnableForPlugin(r)
	}
	types, err := sources.Read(r, &q.Sources, true)
	if err != nil {
		return err
	}
	if q.Sources.Proposals.ZeroIsAbsent {
		types.ZeroKeys()
	}
	objects, errs, closeFiles, err := Index(r, q.config, types)
	defer closeFiles()
	if err != nil {
		return err
	}
	types.NoteDefinitions(definitionsAmong(objects))
	if err := readTypes(r, types, objects); err != nil {
		return err
	}
	types.AddDefinitions(r, definitionsAmong(objects))
	live, liveErrs, closeFiles, err := Index(r, q.Live, types)
	defer closeFiles()
	if err != nil {
		return err
	}
	var namespaces []*input.Ref
	if types.Cluster() != nil {
		var more manifest.Errors
		reads := len(q.Live.Names) == 0
		if objects, live, more, err = readCluster(r, types, objects, live, reads); err != nil {
			return err
		}
		errs = append(errs, more...)
		if reads {
			namespaces = readNamespaces(r, types, objects, live)
		}
	}
	if len(liveErrs) > 0 {
		// Predict nothing. A missing live object could make all results wrong.
		handle(convert(&Outcome{Errors: append(errs, liveErrs...)}))
		return nil
	}
	pairs, pairErrs := PairUp(objects, live, types, r.NoteObject)
	if len(q.Live.Names) > 0 && len(live) == 0 {
		if q.requireLive {
			handle(convert(&Outcome{Errors: append(errs, &manifest.Error{File: q.Live.Shown(), Message: "there are no live objects; did the dump fail?"})}))
			return nil
		}
		r.Notef("no live objects in %s: all objects are new", strings.Join(q.Live.Names, ", "))
	}
	errs = append(errs, pairErrs...)
	if len(pairs) == 0 && len(errs) == 0 {
		input.NoteNoObjects(r, q.config)
		return nil
	}
	policies, given, policyErrs, err := readPolicies(r, q, types, slices.Concat(live, namespaces, objects))
	if err != nil {
		return err
	}
	if len(policyErrs) > 0 {
		handle(convert(&Outcome{Errors: append(errs, policyErrs...)}))
		return nil
	}
	maker := &Requester{Requests: q, Types: types, Now: now, update: update, paths: q.chosenPaths(), policies: policies, podSecurity: podSecurity(types), masks: &r.Masks, others: byKind(refsTo(given), live, namespaces, objects)}
	if err := makeEach(r, maker, pairs, convert, handle); err != nil {
		return err
	}
	if len(errs) > 0 {
		handle(convert(&Outcome{Errors: errs}))
	}
	maker.noteUnknownManager(r)
	return nil
}

// makeEach predicts the requests for pairs. If a flag such as --yield has paths, makeEach needs
// all outcomes to find the paths without a conflict. It then calls handle only at the end.
func makeEach[T any](r *command.Run, m *Requester, pairs []Refs, convert func(*Outcome) T, handle func(T)) error {
	if len(m.paths) == 0 {
		EachPair(r, pairs, func(p Refs) T { return convert(m.readAndMake(p)) }, handle)
		return nil
	}
	var outcomes []*Outcome
	EachPair(r, pairs, m.readAndMake, func(o *Outcome) { outcomes = append(outcomes, o) })
	if err := m.checkPaths(outcomes); err != nil {
		return err
	}
	for _, o := range outcomes {
		handle(convert(o))
	}
	return nil
}

// readAndMake reads a pair and predicts the request for it.
func (m *Requester) readAndMake(refs Refs) *Outcome {
	p, err := refs.Read()
	if err != nil {
		return &Outcome{Errors: manifest.Errors{err}}
	}
	return m.Make(p, false)
}

func (q *Requests) check() error {
	if len(q.config.Names) == 0 {
		return command.Usagef("-f is missing: name the file with the objects")
	}
	if q.Manager == "" {
		return command.Usagef("--field-manager is missing: name the manager that makes the request")
	}
	if q.requireLive && len(q.Live.Names) == 0 {
		return command.Usagef("--%s needs --live with the dump of the live objects", requireLiveFlag)
	}
	return q.Duplicates.Check()
}

// Make predicts the request for one object. With force, an apply forces all conflicts that flags
// do not resolve in another way.
func (m *Requester) Make(p Pair, force bool) *Outcome {
	rest := resolve.Refuse
	if force {
		rest = resolve.Force
	}
	o, made := m.request(p, rest)
	if made {
		o.readBack()
		m.followKubectl(o)
		m.noteStaying(o)
		if o.steps != nil {
			o.steps.done = true
		}
	}
	o.sortErrors()
	return o
}

// request predicts the response of a server to the request for one object. The choice fallback
// applies to each conflict that flags do not resolve: with [resolve.Refuse], the conflict remains.
// If the input is invalid, no request can be made, and made is false.
func (m *Requester) request(p Pair, fallback resolve.Choice) (o *Outcome, made bool) {
	o = &Outcome{Pair: p, read: p, Maker: m, Manager: m.Manager}
	if err := m.checkPair(p); err != nil {
		o.Errors = manifest.Errors{err}
		return o, false
	}
	if !o.FindType(m.Types) {
		return o, false
	}
	if isScale(o.Object.Identity()) && !m.readScale(o) {
		return o, false
	}
	if err := m.checkManagedFields(o); err != nil {
		o.Errors = manifest.Errors{err}
		return o, false
	}
	ClearNamespace(m.Types, o)
	if err := ConvertLive(m.Types, o); err != nil {
		o.Errors = manifest.Errors{err}
		return o, false
	}
	if o.Errors = m.validate(o); len(o.Errors) > 0 {
		return o, false
	}
	if o.Errors = m.prepareRequest(o); len(o.Errors) > 0 {
		return o, false
	}
	var err error
	switch {
	case m.update:
		noted := len(o.request.Warnings)
		o.Result, err = o.request.Update()
		o.noteAll(o.request.Warnings[noted:])
		if err != nil && input.WithoutSetsOfObjects(err) == nil {
			o.Result, err = m.updateUntracked(o, err)
		}
	case !m.asGiven && !m.Chosen() && (fallback == resolve.Force || fallback == resolve.Refuse && m.force.all):
		o.forced = true
		o.Result, err = o.request.FieldManager.Apply(o.Before, o.request.Object, m.Manager, true)
	default:
		o.apply = resolve.New(o.request.FieldManager, o.Before, o.request.Object, m.Manager)
		o.choices = m.choices(o.Type, fallback)
		var done *resolve.Outcome
		done, err = o.apply.Apply(o.choices)
		if done != nil {
			o.Result, o.Resolved, o.applied = done.Result, done.Resolutions, done.Config
			o.forced = slices.ContainsFunc(done.Resolutions, func(r resolve.Resolution) bool { return r.Choice == resolve.Force })
		}
	}
	if err == nil {
		o.Result, err = o.request.Mutate(o.Result)
		if m.subresource == scaleSubresource {
			o.Before = o.request.Live // in an apply, Live was a Scale, and is now the object to scale
		}
	}
	o.Explain(err)
	m.noteMarkers(o)
	o.noteFilled()
	if !m.update {
		o.noteMerged()
	}
	o.notePortNames(m.Types)
	checkStored(m.Types, o)
	m.refuseInvalid(o)
	m.refuseBuiltin(o)
	o.admit()
	return o, true
}

// updateUntracked predicts an update whose fields cannot be compared with the live object, because
// a set contains objects. In this case, an API server stores the new object, but keeps the previous
// managed fields. The argument err is the error of the comparison. Its text becomes a warning.
func (m *Requester) updateUntracked(o *Outcome, err error) (*fieldmanager.Result, error) {
	for _, f := range input.Findings(o.Object, o.Type, err) {
		o.Warn(f.Path, f.Message+": the API server stores the object and keeps the previous managed fields")
	}
	return o.request.UpdateUntracked()
}

// checkPair returns an error if there can be no valid request for a pair.
func (m *Requester) checkPair(p Pair) *manifest.Error {
	id := p.Object.Identity()
	metadata, _ := p.Object.Content["metadata"].(map[string]any)
	if id.Name == "" && (!m.update || unstructured.Text(metadata, "generateName") == "") {
		if unstructured.Text(metadata, "generateName") != "" {
			return p.Object.Errorf(".metadata", "has no name: an apply needs metadata.name; generateName works for create only, see dovetail update")
		}
		return p.Object.Errorf(".metadata", "has no name")
	}
	if version := unstructured.Text(metadata, "resourceVersion"); m.update && p.Live == nil && version != "" && version != "0" {
		return p.Object.Errorf(".metadata.resourceVersion", "is set, but the object is new: leave it out, or pass the live object")
	}
	if err := m.checkScale(p); err != nil {
		return err
	}
	if m.subresource != "" && p.Live == nil {
		return p.Object.Errorf("", "is new: only a live object has the subresource %s", m.subresource)
	}
	return nil
}

// validate validates the object and the live object separately. It returns errors with
// positions, adds warnings about probable mistakes, and sets o.LiveType.
func (m *Requester) validate(o *Outcome) manifest.Errors {
	if err := m.Duplicates.Deduplicate(o); err != nil {
		return input.Findings(o.Object, o.Type, err)
	}
	o.LiveType = o.Type
	var live *typed.TypedValue
	var liveErr error
	carried := map[string]bool{}
	if o.Live != nil {
		content := unstructured.WithoutManagedFields(o.Before)
		live, liveErr = o.Type.FromUnstructured(content, typed.AllowDuplicates)
		if unknown, left := input.SplitUnknown(liveErr); len(unknown) > 0 && !m.strictLive {
			o.LiveType.Schema, o.LiveType.TypeRef = o.Type.Schema.Lenient(o.Type.TypeRef)
			live, liveErr = nil, left
			if left == nil {
				live, liveErr = o.LiveType.FromUnstructured(content, typed.AllowDuplicates)
			}
			for _, f := range unknown {
				carried[diag.WithoutItems(f.Path)] = true
			}
		}
	}
	plain, opts := unstructured.WithoutManagedFields(o.Sent()), m.Duplicates.Options()
	if m.update && m.Types.Custom(o.Object.Identity()) && hasNullItem(plain) {
		// In an update, a server replaces a null in a list by its default.
		if filled, err := o.Type.Default(data.Clone(plain)); err == nil {
			plain, _ = filled.(map[string]any)
		}
	}
	config, err := o.Type.FromUnstructured(plain, opts...)
	if m.update {
		err, liveErr = input.WithoutSetsOfObjects(input.WithoutCarried(err, carried)), input.WithoutSetsOfObjects(liveErr)
		if len(carried) == 0 { // the schema knows all fields of the live object
			err = m.dropUnknown(o, err)
		}
	}
	errs := m.describeUndeclared(o, input.Findings(o.Object, o.Type, err), "config", err)
	errs = append(errs, m.describeUndeclared(o, input.Findings(o.Live, o.Type, liveErr), "live object", liveErr)...)
	if len(errs) > 0 || config == nil { // config is nil for an update that updateUntracked predicts
		return errs
	}
	if len(carried) > 0 {
		// Both objects must have the same type to be compared.
		if config, err = o.LiveType.FromUnstructured(plain, opts...); err != nil {
			return input.Findings(o.Object, o.Type, err)
		}
	}
	o.NoteKeys(config)
	if !m.update {
		if live == nil {
			live = config.Empty()
		}
		o.NoteSuspicious(m.Types, (*operand.Value)(live).Diagnose((*operand.Value)(config)))
	}
	return nil
}

// dropUnknown removes errors about undeclared fields from err, because a server removes such
// fields from an update. It warns about the fields of custom resources. Built-in kinds get this
// warning elsewhere.
func (m *Requester) dropUnknown(o *Outcome, err error) error {
	id := o.Object.Identity()
	custom := m.Types.Custom(id)
	if !custom && !m.Types.Builtin(id.APIVersion, id.Kind) {
		return err
	}
	unknown, left := input.SplitUnknown(err)
	for _, f := range unknown {
		if custom {
			o.Warn(f.Path, "removed: the definition does not have this field")
		}
	}
	return left
}

// hasNullItem reports whether any list in v contains null.
func hasNullItem(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, below := range v {
			if hasNullItem(below) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return item == nil || hasNullItem(item) })
	}
	return false
}

// describeUndeclared extends each message about an undeclared field: it adds where the field is,
// and which schema lacks it. The argument source is "config" or "live object". The messages in errs
// are in the order of the errors in err.
func (m *Requester) describeUndeclared(o *Outcome, errs manifest.Errors, source string, err error) manifest.Errors {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return errs
	}
	id := o.Object.Identity()
	for i, e := range all {
		if input.IsUndeclared(e) && i < len(errs) {
			errs[i].Message += fmt.Sprintf(" (in the %s; schema of %s)", source, m.Types.Describe(id.APIVersion, id.Kind))
		}
	}
	return errs
}

// RegisterAnyOrder adds the flag --ignore-item-order.
func RegisterAnyOrder(flags *pflag.FlagSet, anyOrder *bool) {
	flags.BoolVar(anyOrder, "ignore-item-order", false, "ignore the order of items in immutable lists with keys; the order in sets never matters, and the order in atomic lists always matters")
}
