// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

const applier = "applier"

// managedFields returns the managedFields entries of an object with n managers. The first
// manager applies the config and owns its fields. The second manager is a controller that owns
// all other fields of the live object. Each further manager applies its own labels and
// annotations, and every second one of them also applies the config. The caller may modify the
// result.
func (w *Workload) managedFields(n int) []metav1.ManagedFieldsEntry {
	if w.stored[n] == nil {
		w.stored[n] = w.entriesOfManagers(n)
	}
	entries := make([]metav1.ManagedFieldsEntry, len(w.stored[n]))
	for i, e := range w.stored[n] {
		entries[i] = *e.DeepCopy()
	}
	return entries
}

// entriesOfManagers lets n managers write the object, and returns the resulting entries.
func (w *Workload) entriesOfManagers(n int) []metav1.ManagedFieldsEntry {
	fm := w.fm()
	obj, err := fm.Apply(unstructuredOf(w.empty()), unstructuredOf(clone(w.Config)), applier, false)
	must(err)
	if n > 1 {
		obj, err = fm.Update(obj, unstructuredOf(clone(w.Live)), "controller")
		must(err)
	}
	for i := 2; i < n; i++ {
		name := fmt.Sprintf("applier-%d", i)
		obj, err = fm.Apply(obj, unstructuredOf(w.further(name, i%2 == 0)), name, true)
		must(err)
	}
	return byManager(obj.(*unstructured.Unstructured).GetManagedFields())
}

// byManager sorts entries by manager. A server would sort them by time, in seconds, so their
// order would vary between runs.
func byManager(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	slices.SortFunc(entries, func(a, b metav1.ManagedFieldsEntry) int { return cmp.Compare(a.Manager, b.Manager) })
	return entries
}

// further returns the config of an additional manager, which sets its own label and annotation.
// The second argument says whether the config also contains everything that the workload's config
// contains.
func (w *Workload) further(name string, all bool) object {
	o := w.empty()
	if all {
		o = clone(w.Config)
	}
	meta := clone(w.Config["metadata"].(object))
	meta["labels"].(object)[name+".example.com/owner"] = "yes"
	meta["annotations"] = object{name + ".example.com/note": "set by " + name}
	o["metadata"] = meta
	return o
}

// managers returns the entries of managedFields with the type that structured-merge-diff uses.
func (w *Workload) managers(n int) fieldpath.ManagedFields {
	managers := fieldpath.ManagedFields{}
	for _, e := range w.managedFields(n) {
		managers[e.Manager] = fieldpath.NewVersionedSet(decode(e), fieldpath.APIVersion(e.APIVersion), e.Operation == metav1.ManagedFieldsOperationApply)
	}
	return managers
}

func decode(e metav1.ManagedFieldsEntry) *fieldpath.Set {
	set := &fieldpath.Set{}
	must(set.FromJSON(bytes.NewReader(e.FieldsV1.GetRawBytes())))
	return set
}

// fieldManager returns a field manager for unstructured objects. The server uses such a field
// manager for custom resources.
func (w *Workload) fieldManager() *managedfields.FieldManager {
	fm, err := managedfields.NewDefaultFieldManager(converter(w.GVK), oneVersion{}, oneVersion{}, oneVersion{}, w.GVK, w.GVK.GroupVersion(), "", nil)
	must(err)
	return fm
}

// structFieldManager returns a field manager for Go structs. The served version is also the
// storage version, so benchmarks with this field manager measure no conversion.
func (w *Workload) structFieldManager() *managedfields.FieldManager {
	s := scheme()
	fm, err := managedfields.NewDefaultFieldManager(converter(w.GVK), runtime.UnsafeObjectConvertor(s), s, s, w.GVK, w.GVK.GroupVersion(), "", nil)
	must(err)
	return fm
}

// updater is shared by all requests, just as a server shares one Updater across requests.
var updater = (&merge.UpdaterBuilder{Converter: sameVersion{}}).BuildUpdater()

// oneVersion implements the converter, defaulter and creater of a field manager. It supports
// only kinds that have one version and no defaults.
type oneVersion struct{}

func (oneVersion) Default(runtime.Object) {}

func (oneVersion) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	u := unstructuredOf(object{})
	u.SetGroupVersionKind(gvk)
	return u, nil
}

func (oneVersion) Convert(in, out, context any) error {
	return fmt.Errorf("no conversion of %T to %T", in, out)
}

func (oneVersion) ConvertToVersion(o runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return o, nil
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// sameVersion converts typed values of kinds that have one version.
type sameVersion struct{}

func (sameVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}

func (sameVersion) IsMissingVersionError(error) bool { return false }

func unstructuredOf(o object) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: o}
}
