// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/convert"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

// Options select the requests of a run.
type Options struct {
	// Release is the release of the server, such as 1.37.
	Release string
	// Objects are the objects to which the run sends requests.
	Objects []map[string]any
	// Random is the number of random requests for each object. Runs with equal Seeds send the
	// same requests.
	Random int
	Seed   uint64
	// Projects are modules with CRDs and objects, see Modules.
	Projects []string
	// Folders contain the files of more projects. Each folder contains the CRDs and objects of
	// one project.
	Folders []string
	// Native runs the validation code of the release. If it is set, a run also checks that the
	// server and the prediction reject the same requests.
	Native predict.Native
	// Kinds selects the kinds that RunGate uses. nil selects all kinds.
	Kinds *regexp.Regexp
}

// Count counts the requests for the objects of one kind, by result.
type Count struct {
	// Requests counts the requests whose results are compared: the server accepted them,
	// returned a conflict, or rejected them because of a policy. Refused counts the requests
	// that the server rejected for another reason.
	//
	// Different counts the requests with at least one unknown difference. Listed counts the
	// requests that have only known differences. Denied counts the requests that a policy
	// rejected, and Warned those for which a policy returned a warning.
	Requests, Refused, Different, Listed, Denied, Warned int
}

// Report is the result of a run.
type Report struct {
	Kinds map[string]*Count
	// Differences has the unknown differences. Known counts the known differences by reason.
	Differences []Difference
	Known       map[string]int
	// Policies is true if the server has admission policies.
	Policies bool
	// Skipped explains for some kinds why the server created no object of the kind.
	Skipped map[string]string
}

// Run sends the requests and compares predictions with answers.
func Run(ctx context.Context, o Options, s *server.Server) (*Report, error) {
	w, err := newRun(o, s)
	if err != nil {
		return nil, err
	}
	if _, err := w.client.do(ctx, w.client.rest.Post().AbsPath("/api/v1/namespaces").Body([]byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`))); err != nil {
		return nil, err
	}
	for i, from := range o.Objects {
		if err := w.object(ctx, from, rand.New(rand.NewPCG(o.Seed, uint64(i)))); err != nil {
			return nil, err
		}
	}
	own := &project{seen: map[string]bool{}}
	if err := own.add("versions.yaml", versions); err != nil {
		return nil, err
	}
	for i := range 1 + len(o.Projects) + len(o.Folders) {
		p := own
		switch n := i - 1; {
		case i == 0:
		case n < len(o.Projects):
			p, err = read(o.Projects[n])
		default:
			p, err = readFolder(o.Folders[n-len(o.Projects)])
		}
		if err != nil {
			return nil, err
		}
		objects, err := w.install(ctx, p)
		if err != nil {
			return nil, err
		}
		for j, from := range objects {
			if err := w.object(ctx, from, rand.New(rand.NewPCG(o.Seed, uint64(i)<<32+uint64(j)))); err != nil {
				return nil, err
			}
		}
	}
	return w.report, nil
}

type run struct {
	Options
	client *client
	types  *openapi.Catalog
	server *predict.Server
	report *Report
	// defined has the versions of custom resources, by version and kind.
	defined map[string]*crd.Version
	// served contains the versions of custom resources in the form that validation needs.
	served *served.Types
	// unpruned is true if the last write of the current custom resource was an apply that stored
	// values that a server drops when it reads them, such as undeclared fields.
	unpruned bool
	// merged is the result of the merge in the last request, if this was a predicted apply. Otherwise, it is
	// nil.
	merged object
}

// newRun returns a run for a server. It reads the server's release and the kinds that it
// serves.
func newRun(o Options, s *server.Server) (*run, error) {
	c, err := newClient(s)
	if err != nil {
		return nil, err
	}
	types, err := openapi.BuiltinRelease(o.Release, openapi.Options{})
	if err != nil {
		return nil, err
	}
	release, err := defaults.New(o.Release)
	if err != nil {
		return nil, err
	}
	goForm, err := goform.New(o.Release)
	if err != nil {
		return nil, err
	}
	validation, err := served.New(served.Options{Release: o.Release})
	if err != nil {
		return nil, err
	}
	w := &run{Options: o, client: c, served: validation, report: &Report{Kinds: map[string]*Count{}, Known: map[string]int{}, Skipped: map[string]string{}}, types: types, defined: map[string]*crd.Version{}}
	w.server = &predict.Server{
		FieldManager: fieldmanager.Options{
			Types: fieldmanager.NewTypeSource(types.Type),
			Converter: func(object map[string]any, apiVersion string) (map[string]any, error) {
				if w.custom(text(object["apiVersion"]), text(object["kind"])) {
					return fieldmanager.NoneConverter(object, apiVersion)
				}
				return convert.Builtin(types, object, apiVersion)
			},
		},
		Kind: types.Kind, Release: release, GoForm: goForm, Native: o.Native,
		Custom: func(apiVersion, kind string) (predict.Definition, bool) {
			if !w.custom(apiVersion, kind) {
				return nil, false
			}
			return w.definition(apiVersion, kind), true
		},
	}
	return w, nil
}

// object sends all requests for one object.
func (w *run) object(ctx context.Context, from object, rnd *rand.Rand) error {
	from = w.stable(from)
	kind, ok := w.types.Kind(text(from["apiVersion"]), text(from["kind"]))
	name := text(from["apiVersion"]) + " " + text(from["kind"])
	if !ok || kind.Resource == "" {
		w.report.Skipped[name] = "the catalog has no resource for it"
		return nil
	}
	if metadata(from)["name"] == "shop" && kind.Kind == "Namespace" {
		metadata(from)["name"] = "shop-2" // the original name is in use
	}
	m := &maker{kind: kind, from: from, rnd: rnd, conditions: w.conditions(kind)}
	if v := w.defined[name]; v != nil {
		m.replicasAt = v.ReplicasPath()
	}
	m.path = collection(kind, from) + "/" + text(metadata(from)["name"])
	if err := w.client.remove(ctx, m.path); err != nil {
		return err
	}
	steps := m.series()
	for range w.Random {
		steps = append(steps, m.random)
	}
	// The last series starts from an object that an apply creates.
	var live object
	var err error
	var applied object // the fields that the last write has stored, if it is an apply of a custom resource
	for i, step := range append(steps, func(object) *request { return m.request(apply, "gitops", m.config(nil, nil)) }) {
		if i == len(steps) {
			if err := w.client.remove(ctx, m.path); err != nil {
				return err
			}
			applied = nil
		}
		if live, err = w.client.get(ctx, m.path); err != nil {
			w.skip(name, err.Error())
			return nil
		}
		if live == nil && i > 0 && i < len(steps) {
			continue
		}
		w.unpruned = lacks(live, applied)
		r := step(live)
		accepted, err := w.comparePrediction(ctx, name, r, live)
		if err != nil {
			return fmt.Errorf("%s: %v: %w", name, r, err)
		}
		if accepted {
			applied = nil
			if r.verb().IsApply() && w.custom(kind.APIVersion, kind.Kind) {
				applied = w.stored(r)
			}
		}
		if !accepted && i == 0 && w.server.Policies == nil {
			break
		}
	}
	return w.client.remove(ctx, m.path)
}

// stored returns the fields that an accepted apply of a custom resource has stored, in the form in
// which the server stores them. It is nil for an apply in another version than the storage version,
// because the server prunes the object when it converts it. The result omits metadata that only the
// server sets.
func (w *run) stored(r *request) object {
	if v := w.defined[r.kind.APIVersion+" "+r.kind.Kind]; v == nil || !v.Storage {
		return nil
	}
	if r.subresource == "status" {
		status, there := w.merged["status"]
		if !there {
			return nil
		}
		return object{"status": status}
	}
	o := maps.Clone(w.merged)
	if slices.Contains(r.kind.Subresources, "status") {
		delete(o, "status")
	}
	md := maps.Clone(metadata(o))
	for _, name := range []string{"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields", "namespace", "resourceVersion", "uid"} {
		delete(md, name)
	}
	if len(o) > 0 {
		o["metadata"] = md
	}
	return o
}

// lacks reports whether the value that a client reads lacks a part of the stored value. A null that
// the server replaces by a default on reading is not missing.
func lacks(read, stored any) bool {
	switch stored := stored.(type) {
	case nil:
		return read == "" // a client reads a null label as an empty text
	case object:
		m, _ := read.(object)
		for name, s := range stored {
			if v, there := m[name]; !there || lacks(v, s) {
				return true
			}
		}
	case []any:
		l, _ := read.([]any)
		for i, s := range stored {
			if i >= len(l) || lacks(l[i], s) {
				return true
			}
		}
	}
	return false
}

// stable changes a beta version of the object to v1 if the server serves its kind in v1. Files
// for older releases contain beta versions, which newer servers do not serve.
func (w *run) stable(o object) object {
	group, _, grouped := strings.Cut(text(o["apiVersion"]), "/")
	if v1, known := w.types.Kind(group+"/v1", text(o["kind"])); !grouped || !known || v1.Source != "" || !strings.Contains(text(o["apiVersion"]), "beta") {
		return o
	}
	o = maps.Clone(o)
	o["apiVersion"] = group + "/v1"
	return o
}

// conditions reports whether the status of a kind may contain the field "conditions".
func (w *run) conditions(k openapi.Kind) bool {
	t, _ := w.types.Type(k.APIVersion, k.Kind)
	ref := t.TypeRef
	for _, name := range []string{"status", "conditions"} {
		atom, ok := t.Schema.Resolve(ref)
		if !ok || atom.Map == nil {
			return true
		}
		ref = atom.Map.ElementType
		if f, ok := atom.Map.FindField(name); ok {
			ref = f.Type
		}
		if ref == (schema.TypeRef{}) {
			return true // the server prunes the field, or does not validate it
		}
	}
	atom, ok := t.Schema.Resolve(ref)
	return !ok || atom.List != nil
}

func (w *run) skip(name, why string) {
	if w.report.Kinds[name] == nil {
		w.report.Skipped[name] = why
	}
}

// comparePrediction predicts the result of a request, sends the request, and compares the
// results.
func (w *run) comparePrediction(ctx context.Context, name string, r *request, live object) (accepted bool, err error) {
	p := w.predict(r, live)
	a, err := w.client.send(ctx, r)
	if err != nil {
		return false, err
	}
	c := w.report.Kinds[name]
	if c == nil {
		c = &Count{}
	}
	found, done := w.compareVerdicts(c, p.Prediction, p.refusal, a)
	if done {
		w.report.Kinds[name] = c
		c.Requests++
		w.note(c, name, r, found)
		return len(found) == 0, nil
	}
	if !a.ok() && a.status != http.StatusConflict {
		if r.method == http.MethodPost {
			w.skip(name, fmt.Sprintf("%d: %s", a.status, a.message()))
		} else if c := w.report.Kinds[name]; c != nil {
			c.Refused++
		}
		if w.Native != nil {
			w.note(c, name, r, p.accepted(a))
		}
		return false, nil
	}
	delete(w.report.Skipped, name)
	w.report.Kinds[name] = c
	c.Requests++
	var stored object
	if a.ok() {
		if stored, err = w.client.get(ctx, r.path); err != nil || stored == nil {
			return true, err
		}
	}
	w.note(c, name, r, append(found, p.differences(r, live, stored, a)...))
	return a.ok(), nil
}

// note adds the differences of a request to the report.
func (w *run) note(c *Count, name string, r *request, found []Difference) {
	before, all := len(w.report.Differences), w.report.Differences
	for _, d := range found {
		d.Kind, d.Request, d.unpruned = name, r.String(), w.unpruned
		if why := d.listed(); why != "" {
			w.report.Known[why]++
		} else {
			all = append(all, d)
		}
	}
	switch w.report.Differences = all; {
	case len(all) > before:
		c.Different++
	case len(found) > 0:
		c.Listed++
	}
}

// prediction is a predicted result, or a predicted rejection with its reason.
type prediction struct {
	*predict.Prediction
	refusal error
}

// predict predicts a request with kube/predict.
func (w *run) predict(r *request, live object) prediction {
	var was object
	if live != nil {
		was = runtime.DeepCopyJSON(live)
	}
	w.merged = nil
	d, err := w.server.Predict(&predict.Request{
		Verb: r.verb(), Subresource: r.subresource, Manager: r.manager, Time: time.Now(), Object: runtime.DeepCopyJSON(r.whole), Live: was,
		Trace: func(stage fieldmanager.Stage, _, after map[string]any) {
			if stage == fieldmanager.StageMerged && r.verb().IsApply() {
				w.merged = after
			}
		},
	})
	if err == nil && w.Native != nil && w.custom(r.kind.APIVersion, r.kind.Kind) {
		found, verr := w.served.Validate(d.Validated, d.Live, r.subresource)
		if err = verr; err == nil {
			err = found.ToAggregate()
		}
	}
	return prediction{d, err}
}

// accepted returns a difference if the prediction accepts a request that the server rejected
// with the given answer.
func (p prediction) accepted(a answer) []Difference {
	if p.refusal != nil || a.status == http.StatusNotFound { // the kind is not served
		return nil
	}
	if m := a.message(); strings.Contains(m, "failed to allocate IP") || strings.Contains(m, "not configured on this cluster") {
		return nil // only the server knows its addresses
	}
	return []Difference{{Path: "rejection", Predicted: "none", Stored: fmt.Sprintf("%d: %s", a.status, a.message())}}
}

// differences compares a prediction with the server's answer and with the stored object.
func (p prediction) differences(r *request, live, stored object, a answer) []Difference {
	var conflict *fieldmanager.ConflictError
	var refused *fieldmanager.RequestError
	conflicts := errors.As(p.refusal, &conflict) || errors.As(p.refusal, &refused) && refused.Status == http.StatusConflict
	switch {
	case p.refusal != nil && !conflicts:
		return []Difference{{Path: "status", Predicted: fmt.Sprint(p.refusal), Stored: fmt.Sprint(a.status)}}
	case conflicts != (a.status == http.StatusConflict):
		return []Difference{{Path: "status", Predicted: fmt.Sprintf("conflict %v", conflicts), Stored: fmt.Sprintf("%d: %s", a.status, a.message())}}
	case !a.ok():
		return nil
	}
	found := compare(p.Object, stored, p.OnlyServer)
	if serverControlled[r.kind.Kind] {
		return slices.DeleteFunc(found, func(d Difference) bool { return ownController(d.Path) })
	}
	changed := live == nil || metadata(stored)["resourceVersion"] != metadata(live)["resourceVersion"]
	switch {
	case changed && !p.Changed:
		found = append(found, Difference{Path: "changed", Predicted: "false", Stored: "true"})
	case !changed && p.Changed:
		found = append(found, Difference{Path: "not changed", Predicted: "true", Stored: "false"})
	}
	return found
}

// serverControlled lists kinds whose status is written by controllers inside the API server.
// These controllers may write it at any time, so it cannot be predicted.
var serverControlled = map[string]bool{"CustomResourceDefinition": true, "APIService": true}

func ownController(path string) bool {
	return strings.HasPrefix(path, ".status") || path == ".metadata.resourceVersion" || strings.HasPrefix(path, ".metadata.managedFields.kube-apiserver ")
}

// OK reports whether there are no unknown differences.
func (r *Report) OK() bool { return len(r.Differences) == 0 }

// Write prints a table by kind, and the unknown differences with one example for each kind and
// path.
func (r *Report) Write(w io.Writer) {
	head, line := "| kind | compared requests | rejected by validation, not compared | differences with a known cause | other differences |\n|---|--:|--:|--:|--:|", func(name string, c *Count) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d |\n", name, c.Requests, c.Refused, c.Listed, c.Different)
	}
	if r.Policies {
		head, line = "| kind | compared requests | denied by a policy | with a warning from a policy | rejected by validation, not compared | differences with a known cause | other differences |\n|---|--:|--:|--:|--:|--:|--:|", func(name string, c *Count) {
			fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d |\n", name, c.Requests, c.Denied, c.Warned, c.Refused, c.Listed, c.Different)
		}
	}
	var all Count
	fmt.Fprintln(w, head)
	for _, name := range slices.Sorted(maps.Keys(r.Kinds)) {
		c := r.Kinds[name]
		line(name, c)
		all.Requests += c.Requests
		all.Refused += c.Refused
		all.Listed += c.Listed
		all.Different += c.Different
		all.Denied += c.Denied
		all.Warned += c.Warned
	}
	line(fmt.Sprintf("all %d kinds", len(r.Kinds)), &all)
	fmt.Fprintln(w)
	for _, why := range slices.Sorted(maps.Keys(r.Known)) {
		fmt.Fprintf(w, "known, %d fields: %s\n", r.Known[why], why)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Skipped)) {
		fmt.Fprintf(w, "not created: %s: %s\n", name, r.Skipped[name])
	}
	type group struct{ kind, path string }
	groups := map[group][]Difference{}
	for _, d := range r.Differences {
		g := group{d.Kind, d.Path}
		groups[g] = append(groups[g], d)
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b group) int {
		if a.kind != b.kind {
			return slices.Compare([]byte(a.kind), []byte(b.kind))
		}
		return slices.Compare([]byte(a.path), []byte(b.path))
	})
	for _, g := range keys {
		fmt.Fprintf(w, "%d × %v\n", len(groups[g]), groups[g][0])
	}
}
