// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"reflect"
	"time"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
)

// requests are the flags of a command that makes requests of objects.
type requests struct {
	config, live files
	sources      sources
	manager      string
	force, yield places
	anyOrder     bool
	zeroes       bool
	strictLive   bool
	quantities   bool
	subresource  string
	clock        string
	duplicates   duplicates
	ignoreUnions bool
	// reports says that there are reports, which have the ways out of conflicts.
	reports bool
}

func (q *requests) register(flags *pflag.FlagSet, what string) {
	q.config.register(flags, "filename", "f", "file or directory with the "+what+", - for standard input (repeatable, required)")
	q.live.register(flags, "live", "", "file or directory with the live objects, - for standard input (repeatable)")
	flags.StringVar(&q.manager, "field-manager", "", "who makes the request (required)")
	flags.StringVar(&q.clock, "time", "", "time of the request for managed fields, RFC 3339 (default now)")
	flags.StringVar(&q.subresource, "subresource", "", "subresource the request goes to, such as status")
	registerAnyOrder(flags, &q.anyOrder)
	flags.BoolVar(&q.quantities, "equal-quantities", false, "let quantities that are equal be the same however they are spelled, such as 1 and 1000m: no change, no conflict, and the live spelling stays")
	flags.BoolVar(&q.strictLive, "strict-live", false, "refuse live objects with fields that their types do not know; else they are carried through, with a warning")
	flags.BoolVar(&q.ignoreUnions, "ignore-unions", false, "leave members of unions alone that are not chosen any more, as an API server does")
	q.sources.register(flags, "name of the type in the file given with --schema")
	q.sources.registerUntyped(flags)
	q.sources.registerConversion(flags)
}

// requester makes requests.
type requester struct {
	*requests
	types *types
	now   func() time.Time
	// update makes updates, not applies.
	update bool
	// paths are those that choose conflicts.
	paths []*chosenPath
}

// requests reads the input and makes one request of each object.
func (r *run) requests(q *requests, update bool) ([]*outcome, error) {
	_, outcomes, err := r.prepare(q, update)
	return outcomes, err
}

// prepare is requests that also returns what made them, nil if none was made.
// What is wrong with the input is an outcome, not an error.
func (r *run) prepare(q *requests, update bool) (*requester, []*outcome, error) {
	maker, outcomes, err := r.makeAll(q, update)
	if errs, ok := inputErrors(err); ok {
		return nil, []*outcome{{errors: errs}}, nil
	}
	return maker, outcomes, err
}

func (r *run) makeAll(q *requests, update bool) (*requester, []*outcome, error) {
	if err := q.check(); err != nil {
		return nil, nil, err
	}
	if err := q.checkChoices(); err != nil {
		return nil, nil, err
	}
	now, err := clock(q.clock)
	if err != nil {
		return nil, nil, err
	}
	types, err := r.types(&q.sources, true)
	if err != nil {
		return nil, nil, err
	}
	if q.zeroes {
		types.zeroKeys()
	}
	objects, errs, err := r.objects(q.config)
	if err != nil {
		return nil, nil, err
	}
	types.noteDefinitions(objects)
	live, liveErrs, err := r.objects(q.live)
	if err != nil {
		return nil, nil, err
	}
	if len(liveErrs) > 0 {
		// With part of the live objects missing, every answer might be wrong.
		return nil, []*outcome{{errors: append(errs, liveErrs...)}}, nil
	}
	pairs, notes, pairErrs := pairUp(objects, live, types)
	for _, n := range notes {
		fmt.Fprintf(r.env.Stderr, "note: %s\n", n)
	}
	errs = append(errs, pairErrs...)
	if len(pairs) == 0 && len(errs) == 0 {
		return nil, nil, nothingIn(q.config)
	}
	maker := &requester{requests: q, types: types, now: now, update: update, paths: q.chosenPaths()}
	var outcomes []*outcome
	for p := range counted(r, pairs) {
		outcomes = append(outcomes, maker.make(p, false))
	}
	if err := maker.checkPaths(outcomes); err != nil {
		return nil, nil, err
	}
	if len(errs) > 0 {
		outcomes = append(outcomes, &outcome{errors: errs})
	}
	return maker, outcomes, nil
}

// clock returns what tells the time that --time gives, or the time.
func clock(text string) (func() time.Time, error) {
	if text == "" {
		return time.Now, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, usagef("--time %s: want RFC 3339, such as 2026-03-01T10:00:00Z", text)
	}
	return func() time.Time { return at }, nil
}

func (q *requests) check() error {
	if len(q.config.names) == 0 {
		return usagef("-f FILE is missing")
	}
	if q.manager == "" {
		return usagef("--field-manager NAME is missing: who makes the request?")
	}
	return q.duplicates.check()
}

// make makes the request for one object; with force, an apply that takes over what
// nothing else was chosen for.
func (m *requester) make(p pair, force bool) *outcome {
	o := &outcome{pair: p, maker: m, manager: m.manager}
	if err := m.check(p); err != nil {
		o.errors = manifest.Errors{err}
		return o
	}
	id := p.object.Identity()
	var err error
	if o.typ, err = m.types.typeOf(id.APIVersion, id.Kind); err != nil {
		o.errors = manifest.Errors{p.object.Errorf("", "%v", err)}
		return o
	}
	o.noteReading()
	o.noteHidden()
	m.types.clearNamespace(o)
	if err := m.types.convertLive(o); err != nil {
		o.errors = manifest.Errors{err}
		return o
	}
	if o.errors = m.validate(o); len(o.errors) > 0 {
		return o
	}
	if o.errors = m.read(o); len(o.errors) > 0 {
		return o
	}
	manager, err := fieldmanager.New(m.options(o))
	if err != nil {
		o.errors = manifest.Errors{p.object.Errorf("", "%v", err)}
		return o
	}
	switch {
	case m.update:
		o.result, err = manager.Update(secretAsStored(o.before), secretAsStored(o.body), m.manager)
		if err != nil && butSetsOfObjects(err) == nil {
			o.result, err = m.untracked(o, err)
		}
	case m.chosen():
		var done *fieldmanager.Resolved
		done, err = manager.Resolve(secretAsStored(o.before), o.body, m.manager, m.choices(o.typ, force))
		if done != nil {
			o.result, o.settled = done.Result, done.Settled
		}
	default:
		o.result, err = manager.Apply(secretAsStored(o.before), o.body, m.manager, force || m.force.all)
	}
	o.explain(err)
	o.noteFilled()
	if !m.update {
		o.noteMerged()
	}
	m.types.storedValues(o)
	o.notePortNames(m.types)
	return o
}

// untracked is what becomes of an update that cannot be compared with the live object,
// since there is a set of objects: the API server stores it with the managed fields that
// there were.
func (m *requester) untracked(o *outcome, why error) (*fieldmanager.Result, error) {
	for _, f := range findings(o.object, o.typ, why) {
		o.warn(f.Path, f.Message+": the API server stores the object, and leaves the managed fields as they were")
	}
	object := withManagedFields(withoutManagedFields(o.body), o.before)
	if o.live != nil {
		if err := fieldmanager.CheckUpdate(o.typ, o.before, object); err != nil {
			return nil, err
		}
	}
	return &fieldmanager.Result{Object: object, Changed: !reflect.DeepEqual(object, o.before)}, nil
}

// check refuses what no API server would be asked for.
func (m *requester) check(p pair) *manifest.Error {
	id := p.object.Identity()
	metadata, _ := p.object.Content["metadata"].(map[string]any)
	if id.Name == "" && (!m.update || text(metadata, "generateName") == "") {
		if text(metadata, "generateName") != "" {
			return p.object.Errorf(".metadata", "has no name: an apply needs one; generateName is for create, see dovetail update")
		}
		return p.object.Errorf(".metadata", "has no name")
	}
	if version := text(metadata, "resourceVersion"); m.update && p.live == nil && version != "" && version != "0" {
		return p.object.Errorf(".metadata.resourceVersion", "is set, and the object is new: leave it out, or give the live object")
	}
	if m.subresource != "" && id.Kind == "Scale" {
		return p.object.Errorf("", "is a Scale; give the object that is scaled, with its new replicas")
	}
	if m.subresource != "" && p.live == nil {
		return p.object.Errorf("", "is new; only a live object has a subresource %s", m.subresource)
	}
	return nil
}

// validate says what is wrong with the object and with the live object, each
// by itself, and where; and what may not be meant.
func (m *requester) validate(o *outcome) manifest.Errors {
	if err := m.duplicates.single(o); err != nil {
		return findings(o.object, o.typ, err)
	}
	o.liveType = o.typ
	var live *typed.TypedValue
	var liveErr error
	carried := map[string]bool{}
	if o.live != nil {
		content := withoutManagedFields(o.before)
		live, liveErr = o.typ.FromUnstructured(content, typed.AllowDuplicates)
		if unknown, left := splitUnknown(liveErr); len(unknown) > 0 && !m.strictLive {
			o.liveType.Schema, o.liveType.TypeRef = o.typ.Schema.Lenient(o.typ.TypeRef)
			live, liveErr = nil, left
			if left == nil {
				live, liveErr = o.liveType.FromUnstructured(content, typed.AllowDuplicates)
			}
			o.carries = true
			for _, f := range unknown {
				carried[diag.Place(f.Path)] = true
			}
		}
	}
	plain, opts := withoutManagedFields(o.sent()), m.duplicates.options()
	config, err := o.typ.FromUnstructured(plain, opts...)
	if m.update {
		err, liveErr = butSetsOfObjects(butCarried(err, carried)), butSetsOfObjects(liveErr)
	}
	errs := m.fromWhere(o, findings(o.object, o.typ, err), "config", err)
	errs = append(errs, m.fromWhere(o, findings(o.live, o.typ, liveErr), "live object", liveErr)...)
	if len(errs) > 0 || config == nil { // a set of objects has no type, see untracked
		return errs
	}
	if len(carried) > 0 {
		// They are compared as values of one type.
		if config, err = o.liveType.FromUnstructured(plain, opts...); err != nil {
			return findings(o.object, o.typ, err)
		}
	}
	o.noteKeys(config)
	if !m.update {
		if live == nil {
			live = config.Empty()
		}
		for _, f := range (*operand.Value)(live).Diagnose((*operand.Value)(config)) {
			o.warn(f.Path, f.Message)
		}
	}
	return nil
}

// withoutManagedFields is object without its managed fields, a shallow copy.
func withoutManagedFields(object map[string]any) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	if _, ok := metadata["managedFields"]; !ok {
		return object
	}
	object, metadata = shallow(object), shallow(metadata)
	delete(metadata, "managedFields")
	object["metadata"] = metadata
	return object
}

func shallow(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}
