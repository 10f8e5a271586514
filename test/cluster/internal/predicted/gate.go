// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/dovetail-ssa/dovetail/kube/gate"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// Gated is the result of RunGate.
type Gated struct {
	// Reconciles counts the reconciles of the controllers. Writes counts the writes of the
	// user.
	Reconciles, Writes int
	// Lag is the maximum number of events by which a cache lags behind the server.
	Lag int
	// Reasons counts the gate's decisions by reason. Checked counts the skipped applies that a
	// dry run checked.
	Reasons map[gate.Reason]int
	Checked int
	// Behind counts skips that were right for the version in the cache, but wrong for the
	// current version on the server.
	Behind int
	// Wrong describes skipped applies that would have changed the object, although the cache was up to
	// date. Unhealed describes skipped applies that would still change it at the end, when all caches
	// were up to date.
	Wrong, Unhealed []string
}

// OK reports whether no skip was wrong.
func (r *Gated) OK() bool { return len(r.Wrong)+len(r.Unhealed) == 0 && r.Checked > 0 }

// Write prints the numbers.
func (r *Gated) Write(w io.Writer) {
	fmt.Fprintf(w, "caches up to %d events behind: %d reconciles by three controllers, %d writes by a user\n  %d applies (%.0f %%) were not sent, and a dry run checked each: %d wrong; %d right only for an older version, of which later events did not correct %d\n",
		r.Lag, r.Reconciles, r.Writes, r.Checked, 100*float64(r.Checked)/float64(r.Reconciles), len(r.Wrong), r.Behind, len(r.Unhealed))
	for _, reason := range slices.Sorted(maps.Keys(r.Reasons)) {
		fmt.Fprintf(w, "  %s: %d\n", reason, r.Reasons[reason])
	}
	for _, text := range slices.Concat(r.Wrong, r.Unhealed) {
		fmt.Fprintln(w, "  "+text)
	}
}

// watched is an object that the controllers reconcile, with the config of each controller.
type watched struct {
	*maker
	wants [3]object
	// seen has all versions of the object so far. Each version is one event for an informer.
	seen []ctrl.Object
}

// informer is the cache of one controller. A read returns an old version of an object, at most
// lag events old. It never returns an older version than the read before.
type informer struct {
	ctrl.Reader
	objects map[string]*watched
	at      map[string]int
	lag     int
	rnd     *rand.Rand
	// behind is true if the last read returned an old version.
	behind bool
}

func (i *informer) Get(_ context.Context, key ctrl.ObjectKey, into ctrl.Object, _ ...ctrl.GetOption) error {
	id := into.GetObjectKind().GroupVersionKind().GroupKind().String() + key.String()
	w := i.objects[id]
	if w == nil || len(w.seen) == 0 {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	newest := len(w.seen) - 1
	i.at[id] = max(i.at[id], newest-i.rnd.IntN(i.lag+1))
	i.behind = i.at[id] < newest
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(w.seen[i.at[id]].DeepCopyObject()).Elem())
	return nil
}

// RunGate lets three controllers apply objects through a gate, while a user writes to the same
// objects. The number n is the number of reconciles of all controllers. The cache of a controller
// can be behind the server by at most lag events.
func RunGate(ctx context.Context, o Options, s *server.Server, n, lag int) (*Gated, error) {
	w, err := newRun(o, s)
	if err != nil {
		return nil, err
	}
	if _, err := w.client.do(ctx, w.client.rest.Post().AbsPath("/api/v1/namespaces").Body([]byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`))); err != nil {
		return nil, err
	}
	g, err := gate.New(gate.Options{Release: o.Release})
	if err != nil {
		return nil, err
	}
	own := &project{seen: map[string]bool{}}
	if err := own.add("versions.yaml", versions); err != nil {
		return nil, err
	}
	custom, err := w.install(ctx, own)
	if err != nil {
		return nil, err
	}
	for _, doc := range own.crds {
		if err := g.Define(&unstructured.Unstructured{Object: doc}); err != nil {
			return nil, err
		}
	}
	log.SetLogger(logr.Discard())
	inner, err := ctrl.New(s.Config(), ctrl.Options{Scheme: scheme.Scheme})
	if err != nil {
		return nil, err
	}
	r := &reconciles{run: w, inner: inner, rnd: rand.New(rand.NewPCG(o.Seed, uint64(lag))), objects: map[string]*watched{},
		report: &Gated{Lag: lag, Reasons: map[gate.Reason]int{}}}
	external := object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": "outside", "namespace": "shop"},
		"spec": object{"type": "ExternalName", "externalName": "outside.example.com"}}
	for _, from := range slices.Concat(o.Objects, custom, []object{external}) {
		if o.Kinds != nil && !o.Kinds.MatchString(text(from["kind"])) {
			continue
		}
		r.watch(w.stable(from))
	}
	for i := range r.clients {
		r.informers[i] = &informer{objects: r.objects, at: map[string]int{}, lag: lag, rnd: r.rnd}
		r.clients[i] = gate.NewClient(inner, g, gate.ClientOptions{Live: r.informers[i]})
	}
	ids := slices.Sorted(maps.Keys(r.objects))
	for r.report.Reconciles < n {
		object := r.objects[ids[r.rnd.IntN(len(ids))]]
		if len(object.seen) > 0 && r.rnd.IntN(5) == 0 {
			err = r.user(ctx, object)
		} else {
			err = r.reconcile(ctx, object, r.rnd.IntN(3))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", object.path, err)
		}
	}
	for _, i := range r.informers {
		i.lag = 0
	}
	wrong := r.report.Wrong
	r.report.Wrong = nil
	for _, id := range ids {
		for i := range r.clients {
			if err := r.reconcile(ctx, r.objects[id], i); err != nil {
				return nil, err
			}
		}
	}
	r.report.Wrong, r.report.Unhealed = wrong, r.report.Wrong
	return r.report, nil
}

// reconciles is the state of a RunGate call.
type reconciles struct {
	run       *run
	inner     ctrl.Client
	clients   [3]*gate.Client
	informers [3]*informer
	objects   map[string]*watched
	rnd       *rand.Rand
	report    *Gated
}

// watch adds an object to the objects that the controllers reconcile. It skips some kinds, for
// example kinds that controllers in the API server change.
func (r *reconciles) watch(from object) {
	kind, ok := r.run.types.Kind(text(from["apiVersion"]), text(from["kind"]))
	if !ok || kind.Resource == "" || serverControlled[kind.Kind] || kind.Kind == "Namespace" || kind.APIVersion == "events.k8s.io/v1" {
		return
	}
	m := &maker{kind: kind, from: from, rnd: r.rnd}
	m.path = collection(kind, from) + "/" + text(metadata(from)["name"])
	o := &unstructured.Unstructured{Object: from}
	id := o.GroupVersionKind().GroupKind().String() + types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}.String()
	w := &watched{maker: m}
	for i := range w.wants {
		w.wants[i] = m.controllerConfig(i)
	}
	r.objects[id] = w
}

// controllerConfig returns the config of a controller. The first controller applies most of
// the object. The other controllers may apply metadata only.
func (m *maker) controllerConfig(controller int) object {
	some := func() object {
		switch m.rnd.IntN(4) {
		case 0:
			return nil
		case 1:
			return object{} // the server does not store objects of these kinds
		}
		return object{fmt.Sprint("c", m.rnd.IntN(3)): fmt.Sprint(m.rnd.IntN(2))}
	}
	o := m.config(nil, nil)
	if controller > 0 && m.rnd.IntN(2) == 0 {
		o = m.onlyMetadata(nil, nil)
	} else if m.rnd.IntN(2) == 0 {
		m.vary(o)
	}
	for _, name := range []string{"labels", "annotations"} {
		if v := some(); v != nil {
			metadata(o)[name] = v
		}
	}
	return o
}

// user changes an object with an update or a patch, as a person does with kubectl.
func (r *reconciles) user(ctx context.Context, w *watched) error {
	live, err := r.run.client.get(ctx, w.path)
	if err != nil || live == nil {
		return err
	}
	change := w.update(live, "user", object{fmt.Sprint("c", r.rnd.IntN(3)): "user"})
	if r.rnd.IntN(2) == 0 {
		change = w.patch(live, "user", object{"metadata": object{"annotations": object{"c1": nil, "c0": "user"}, "labels": object{"c2": nil}}})
	} else if r.rnd.IntN(2) == 0 {
		w.vary(change.body)
	}
	if _, err := r.run.client.send(ctx, change); err != nil {
		return err
	}
	r.report.Writes++
	return r.observe(ctx, w)
}

// reconcile lets a controller apply its config through the gate.
func (r *reconciles) reconcile(ctx context.Context, w *watched, i int) error {
	if r.rnd.IntN(8) == 0 {
		w.wants[i] = w.controllerConfig(i)
	}
	owner := fmt.Sprint("controller-", i)
	opts := []ctrl.ApplyOption{}
	force := r.rnd.IntN(3) > 0
	if force {
		opts = append(opts, ctrl.ForceOwnership)
	}
	r.informers[i].behind = false
	config := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(w.wants[i])}
	d, err := gate.Apply(ctx, r.clients[i], ctrl.ApplyConfigurationFromUnstructured(config), owner, opts...)
	if err != nil && !d.Send() {
		return err
	}
	r.report.Reconciles++
	r.report.Reasons[d.Reason]++
	if d.Send() {
		return r.observe(ctx, w) // the server may have rejected the apply
	}
	r.report.Checked++
	return r.check(ctx, w, owner, w.wants[i], force, r.informers[i].behind)
}

// check checks an apply that the gate skipped. It sends the apply as a dry run, and compares
// the result with the live object.
func (r *reconciles) check(ctx context.Context, w *watched, owner string, config object, force, behind bool) error {
	live, err := r.run.client.get(ctx, w.path)
	if err != nil {
		return err
	}
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	a, err := r.run.client.do(ctx, r.run.client.rest.Patch(types.ApplyPatchType).AbsPath(w.path).Param("fieldManager", owner).
		Param("force", fmt.Sprint(force)).Param("dryRun", "All").Body(data))
	switch {
	case err != nil:
		return err
	case a.ok() && reflect.DeepEqual(a.body, live):
	case behind:
		r.report.Behind++
	default:
		r.report.Wrong = append(r.report.Wrong, fmt.Sprintf("%s by %s: %d %s\n    applied %s\n    live    %s\n    dry-run %s", w.path, owner, a.status, a.message(), plain.Text(config), plain.Text(live), plain.Text(a.body)))
	}
	return nil
}

// observe records the event of the last write. If nothing was written, there is no event.
func (r *reconciles) observe(ctx context.Context, w *watched) error {
	gvk := (&unstructured.Unstructured{Object: w.from}).GroupVersionKind()
	into := ctrl.Object(&unstructured.Unstructured{})
	if made, err := scheme.Scheme.New(gvk); err == nil {
		into = made.(ctrl.Object)
	}
	into.GetObjectKind().SetGroupVersionKind(gvk)
	err := r.inner.Get(ctx, ctrl.ObjectKey{Namespace: text(metadata(w.from)["namespace"]), Name: text(metadata(w.from)["name"])}, into)
	if meta.IsNoMatchError(err) {
		return nil // the server does not serve this object
	}
	if err != nil {
		return ctrl.IgnoreNotFound(err)
	}
	if n := len(w.seen); n == 0 || w.seen[n-1].GetResourceVersion() != into.GetResourceVersion() {
		w.seen = append(w.seen, into)
	}
	return nil
}
