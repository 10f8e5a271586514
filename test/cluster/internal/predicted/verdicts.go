// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// VerdictOptions select the requests of RunVerdicts.
type VerdictOptions struct {
	Release string
	// Objects are valid objects of built-in kinds. RunVerdicts ignores other objects.
	Objects []map[string]any
	// Mutants is the number of applies that create an object. Merged is the number of applies
	// to existing objects.
	Mutants, Merged int
	// Places is the maximum number of fields that are updated in each object. The updates
	// change, set and unset one field at a time.
	Places int
	Seed   uint64
	// Native runs the release's own validation code.
	Native predict.Native
	// Dir is a folder for temporary files of clients. RunVerdicts also writes a list of all
	// differences to verdicts.json in this folder.
	Dir string
}

// Verdict counts the responses of a test server, compared with the responses of the real
// server.
type Verdict struct {
	// Predicted counts the requests that both servers reject. Missed counts the requests that
	// only the real server rejects. Accepted counts the requests that both servers accept. Wrong
	// counts the requests that only the test server rejects.
	Predicted, Missed, Accepted, Wrong int
	// Same counts the Predicted requests for which both rejections have the same
	// status, message and causes.
	Same int
	// Other counts the Accepted requests for which the two servers return different objects.
	// It ignores fields that only a real server knows.
	Other int
}

func (v *Verdict) add(o Verdict) {
	v.Predicted += o.Predicted
	v.Missed += o.Missed
	v.Accepted += o.Accepted
	v.Wrong += o.Wrong
	v.Same += o.Same
	v.Other += o.Other
}

// Verdicts is the result of RunVerdicts.
type Verdicts struct {
	// Native and Light count the responses of two test servers: Native for the server that
	// contains the validation code of the release, and Light for the server without this code. A
	// key is the name of a kind, followed by mergedSuffix for applies to existing objects, and by
	// updatedSuffix for updates.
	Native, Light map[string]*Verdict
	// Invalid counts the objects that the server rejects. RunVerdicts creates no mutants of
	// them.
	Invalid int
	// Panics counts the requests that made the server panic. There is nothing to compare. For
	// example, kube-apiserver 1.37.2 panics if an Indexed Job has no completions.
	Panics int
	// Differences lists all differences between the Native test server and the real server. For
	// the Light test server, it lists only valid objects that the server rejects or returns
	// differently.
	Differences []VerdictDifference
}

// VerdictDifference is a response of a test server that differs from the response of
// the server.
type VerdictDifference struct {
	// How describes the difference: "missed", "wrong", "message" or "object". The text " without
	// the code of the release" follows if the response is from the test server without this code.
	Kind, How string
	// Object is the object in the request. Live is the existing object, or the config from which
	// that object was created. Live is nil if the request creates an object.
	Object, Live object
	// Server and Predicted are the status and message of both responses. If the returned
	// objects differ, they are the values of the first different field.
	Server, Predicted string
}

const (
	mergedSuffix  = ", merged"
	updatedSuffix = ", updated"
)

// notStored are kinds whose objects change how a server handles other requests, or cannot be
// deleted at once. RunVerdicts stores no objects of these kinds.
var notStored = []string{
	"APIService", "CustomResourceDefinition", "LimitRange", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
	"Namespace", "ResourceQuota", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
}

type verdicts struct {
	VerdictOptions
	types  *openapi.Catalog
	report *Verdicts
	// clients has three clients: for the server, for the test server with the code of
	// the release, and for the test server without this code.
	clients [3]*client
}

// RunVerdicts sends invalid and valid applies to a real server and to two test servers, one with
// and one without the code of the release. It compares which requests the servers reject, and
// with which messages. All compared requests are dry runs. The first series of requests applies
// mutants of valid objects as new objects. The second series applies mutants to existing objects
// of the same or another applier. The third series consists of updates of single fields.
func RunVerdicts(ctx context.Context, o VerdictOptions, s *server.Server) (_ *Verdicts, err error) {
	v := &verdicts{VerdictOptions: o, report: &Verdicts{Native: map[string]*Verdict{}, Light: map[string]*Verdict{}}}
	if v.types, err = openapi.BuiltinRelease(o.Release, openapi.Options{}); err != nil {
		return nil, err
	}
	if v.clients[0], err = newClient(s); err != nil {
		return nil, err
	}
	for i, native := range []predict.Native{o.Native, nil} {
		t, err := testserver.Start(testserver.Options{Release: o.Release, Native: native})
		if err != nil {
			return nil, err
		}
		defer t.Close()
		at, err := server.At("testserver", t.URL(), filepath.Join(o.Dir, fmt.Sprint(i)))
		if err != nil {
			return nil, err
		}
		if v.clients[i+1], err = newClient(at); err != nil {
			return nil, err
		}
	}
	valid, err := v.valid(ctx)
	if err != nil {
		return nil, err
	}
	if len(valid) == 0 {
		return nil, errors.New("no object is valid")
	}
	var all []object
	for _, kind := range slices.Sorted(maps.Keys(valid)) {
		all = append(all, valid[kind]...)
	}
	rnd := rand.New(rand.NewPCG(o.Seed, 0))
	m := newMutator(all, rnd)
	objectExcept := func(kinds []string) object {
		for {
			kind := pick(rnd, slices.Sorted(maps.Keys(valid)))
			if o := pick(rnd, valid[kind]); !slices.Contains(kinds, text(o["kind"])) {
				return o
			}
		}
	}
	for range o.Mutants {
		mutant := m.mutant(objectExcept(nil))
		if err := v.compare(ctx, nil, mutant, "second"); err != nil {
			return nil, err
		}
	}
	for range o.Merged {
		base := objectExcept(notStored)
		if err := v.merged(ctx, base, m); err != nil {
			return nil, err
		}
	}
	if err := v.updates(ctx, valid, rnd); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(v.report.Differences, "", "\t")
	if err != nil {
		return nil, err
	}
	return v.report, os.WriteFile(filepath.Join(o.Dir, "verdicts.json"), data, 0o600)
}

// valid returns the objects that the server accepts, by kind. It moves all objects to one
// namespace.
func (v *verdicts) valid(ctx context.Context) (map[string][]object, error) {
	valid := map[string][]object{}
	for _, o := range v.Objects {
		kind, ok := v.types.Kind(text(o["apiVersion"]), text(o["kind"]))
		if !ok || kind.Resource == "" || text(metadata(o)["name"]) == "" {
			continue
		}
		o = runtime.DeepCopyJSON(o)
		for _, field := range []string{"namespace", "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"} {
			delete(metadata(o), field)
		}
		if delete(o, "status"); kind.Scope == openapi.Namespaced {
			metadata(o)["namespace"] = "default"
		}
		a, err := v.clients[0].apply(ctx, kind, o, "second", true)
		if err != nil {
			return nil, err
		}
		if !a.ok() {
			v.report.Invalid++
			continue
		}
		valid[kind.Type] = append(valid[kind.Type], o)
	}
	return valid, nil
}

// merged stores a valid object as one manager, and compares how the servers respond to an apply
// by another manager. The config of this apply is also valid on its own.
func (v *verdicts) merged(ctx context.Context, base object, m *mutator) error {
	kind, _ := v.types.Kind(text(base["apiVersion"]), text(base["kind"]))
	path := collection(kind, base) + "/" + text(metadata(base)["name"])
	var second object
	for range 10 {
		mutant := m.mutant(base)
		if metadata(mutant) == nil || metadata(mutant)["name"] != metadata(base)["name"] {
			continue
		}
		a, err := v.clients[0].apply(ctx, kind, mutant, "second", true)
		if err != nil {
			return err
		}
		if a.ok() {
			second = mutant
			break
		}
	}
	if second == nil {
		return nil
	}
	stored := true
	for _, c := range v.clients {
		a, err := c.apply(ctx, kind, base, "first", false)
		if err != nil {
			return err
		}
		stored = stored && a.ok()
	}
	if stored {
		manager := "second"
		if m.rnd.IntN(3) == 0 {
			manager = "first"
		}
		if err := v.compare(ctx, base, second, manager); err != nil {
			return err
		}
	}
	for _, c := range v.clients {
		if err := c.remove(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// compare sends a dry run of an apply to all servers and compares their responses. The argument
// "live" is the config that another applier has stored on all servers, or nil if the object
// does not exist.
func (v *verdicts) compare(ctx context.Context, live, o object, manager string) error {
	apiVersion := text(o["apiVersion"])
	kind, _ := v.types.Kind(apiVersion, text(o["kind"]))
	name := apiVersion + " " + text(o["kind"])
	if live != nil {
		name += mergedSuffix
	}
	if name, namespace := text(metadata(o)["name"]), metadata(o)["namespace"]; name == "" || strings.Contains(name, "/") || (namespace == "default") != (kind.Scope == openapi.Namespaced) {
		return nil // the path of the request would contain an invalid name or namespace
	}
	var answers [3]answer
	for i, c := range v.clients {
		var err error
		if answers[i], err = c.apply(ctx, kind, o, manager, true); err != nil {
			return err
		}
	}
	v.count(name, o, live, answers)
	return nil
}

// count compares the responses to a request.
func (v *verdicts) count(name string, o, live object, answers [3]answer) {
	real := answers[0]
	if real.status == panicked {
		v.report.Panics++
		return
	}
	for i, all := range []map[string]*Verdict{v.report.Native, v.report.Light} {
		if all[name] == nil {
			all[name] = &Verdict{}
		}
		got, how := answers[i+1], ""
		server, predicted := describe(real), describe(got)
		switch c := all[name]; {
		case !real.ok() && got.ok():
			c.Missed++
			how = "missed"
		case real.ok() && !got.ok():
			c.Wrong++
			how = "wrong"
		case real.ok():
			c.Accepted++
			if found := otherFields(real.body, got.body); len(found) > 0 {
				c.Other++
				how = "object"
				server, predicted = found[0].Path+": "+found[0].Stored, found[0].Path+": "+found[0].Predicted
			}
		case sameStatus(real, got):
			c.Predicted++
			c.Same++
		default:
			c.Predicted++
			how = "message"
		}
		if how == "" || i == 1 && (how == "missed" || how == "message") {
			continue
		}
		if i == 1 {
			how += " without the code of the release"
		}
		v.report.Differences = append(v.report.Differences, VerdictDifference{name, how, o, live, server, predicted})
	}
}

// apply sends a forced apply.
func (c *client) apply(ctx context.Context, kind openapi.Kind, o object, manager string, dryRun bool) (answer, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return answer{}, err
	}
	r := c.rest.Patch(types.ApplyPatchType).AbsPath(collection(kind, o), text(metadata(o)["name"])).Param("fieldManager", manager).Param("force", "true").Body(data)
	if dryRun {
		r = r.Param("dryRun", "All")
	}
	return c.do(ctx, r)
}

// describe returns the status and the message of an answer.
func describe(a answer) string {
	if a.ok() {
		return fmt.Sprint(a.status)
	}
	return fmt.Sprintf("%d: %s", a.status, a.message())
}

// otherFields returns the fields that differ in two responses. It ignores fields that only a
// real server knows.
func otherFields(server, predicted object) []Difference {
	kind := schema.FromAPIVersionAndKind(text(server["apiVersion"]), text(server["kind"])).GroupKind().String()
	return slices.DeleteFunc(compare(predicted, server, nil), func(d Difference) bool {
		return slices.ContainsFunc(predict.ServerFields(), func(f predict.ServerField) bool {
			path := strings.NewReplacer("[*]", "[]", `["`, ".", `"]`, "").Replace(f.Path)
			rest, ok := strings.CutPrefix(d.Path, path)
			return ok && (f.Kind == "" || f.Kind == kind) && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
	})
}

// sameStatus reports whether a predicted rejection has the same status, message and causes as
// the server's rejection. The order of errors and random UIDs may differ. If a prediction
// contains an undeclared field, the server may return fewer errors than predicted, because it
// checks the fields of a map in random order and stops at an undeclared field.
func sameStatus(server, predicted answer) bool {
	causes := func(a answer) (all []string) {
		details, _ := a.body["details"].(object)
		list, _ := details["causes"].([]any)
		for _, c := range list {
			all = append(all, uids.ReplaceAllString(plain.Text(c), "UID"))
		}
		slices.Sort(all)
		return all
	}
	if server.status != predicted.status || !slices.Equal(causes(server), causes(predicted)) {
		return false
	}
	intro, some := errorsIn(server.message())
	of, all := errorsIn(predicted.message())
	if slices.ContainsFunc(all, func(e string) bool { return strings.HasSuffix(e, "field not declared in schema") }) {
		all = slices.DeleteFunc(all, func(e string) bool { return !slices.Contains(some, e) })
	}
	return intro == of && slices.Equal(some, all)
}

// uids matches random UIDs.
var uids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// errorsIn splits a message into an introduction, which ends before the first error, and the errors. It sorts
// the errors and replaces random UIDs.
func errorsIn(message string) (intro string, all []string) {
	message = uids.ReplaceAllString(message, "UID")
	if before, list, ok := strings.Cut(message, "errors:\n"); ok { // the errors of a schema
		intro, all = before, strings.Split(strings.TrimSpace(list), "\n")
	} else if before, list, ok := strings.Cut(message, " is invalid: ["); ok {
		intro, all = before, strings.Split(strings.TrimSuffix(list, "]"), ", ")
	} else if strings.HasPrefix(message, "failed to create typed ") {
		before, one, _ := strings.Cut(message, "): ")
		intro, all = before+"): ", []string{one}
	} else {
		return message, nil
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	slices.Sort(all)
	return intro, all
}

// OK reports whether the test server with the code of the release predicts at least 99.8 % of the
// rejections, and neither test server rejects an object that the server accepts.
func (r *Verdicts) OK() bool {
	var native, light Verdict
	for _, v := range r.Native {
		native.add(*v)
	}
	for _, v := range r.Light {
		light.add(*v)
	}
	return native.Wrong+light.Wrong == 0 && float64(native.Missed) <= 0.002*float64(native.Missed+native.Predicted)
}

// Write prints three tables: the requests that the server rejected, the requests that it
// accepted, and the objects that differ although all servers accepted them. Then Write prints
// all differences except different messages.
func (r *Verdicts) Write(w io.Writer) {
	type pair struct{ native, light Verdict }
	kinds, requests := map[string]*pair{}, map[string]*pair{}
	add := func(all map[string]*pair, key, name string) {
		if all[key] == nil {
			all[key] = &pair{}
		}
		all[key].native.add(*r.Native[name])
		all[key].light.add(*r.Light[name])
	}
	for name := range r.Native {
		kind, request, _ := strings.Cut(name, ", ")
		kind, _, _ = strings.Cut(kind, "/status")
		add(kinds, kind, name)
		add(requests, request, name)
	}
	table := func(head string, row func(name string, n, l Verdict)) {
		fmt.Fprintf(w, "| kind or request | %s |\n|---|%s\n", head, strings.Repeat("--:|", strings.Count(head, "|")+1))
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			row(kind, kinds[kind].native, kinds[kind].light)
		}
		for _, request := range slices.Sorted(maps.Keys(requests)) {
			row(cmp.Or(request, "new")+" objects of all kinds", requests[request].native, requests[request].light)
		}
		fmt.Fprintln(w)
	}
	table("rejected by the server | rejected with the native program | same message | rejected without the native program", func(name string, n, l Verdict) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d |\n", name, n.Predicted+n.Missed, n.Predicted, n.Same, l.Predicted)
	})
	table("accepted by the server | wrongly rejected with the native program | wrongly rejected without the native program", func(name string, n, l Verdict) {
		fmt.Fprintf(w, "| %s | %d | %d | %d |\n", name, n.Accepted+n.Wrong, n.Wrong, l.Wrong)
	})
	table("another object with the native program | another object without the native program", func(name string, n, l Verdict) {
		fmt.Fprintf(w, "| %s | %d | %d |\n", name, n.Other, l.Other)
	})
	fmt.Fprintf(w, "objects that are not valid on the server: %d\n", r.Invalid)
	if r.Panics > 0 {
		fmt.Fprintf(w, "requests that make the server panic, not compared: %d\n", r.Panics)
	}
	for _, d := range r.Differences {
		if d.How != "message" {
			fmt.Fprintf(w, "%s: %s: server %.300s, predicted %.300s\n", d.How, d.Kind, d.Server, d.Predicted)
		}
	}
}
