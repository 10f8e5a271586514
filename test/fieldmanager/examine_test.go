// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	smdtyped "sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
	"github.com/dovetail-ssa/dovetail/typed"
)

// appSchema has the types of a CRD with two versions. Only v2 has the field new.
const appSchema = `types:
- name: v1
  map: {fields: [{name: apiVersion, type: {scalar: string}}, {name: kind, type: {scalar: string}}, {name: metadata, type: {namedType: any}}, {name: spec, type: {namedType: v1spec}}]}
- name: v2
  map: {fields: [{name: apiVersion, type: {scalar: string}}, {name: kind, type: {scalar: string}}, {name: metadata, type: {namedType: any}}, {name: spec, type: {namedType: v2spec}}]}
- name: v1spec
  map: {fields: [{name: size, type: {scalar: numeric}}, {name: color, type: {scalar: string}}]}
- name: v2spec
  map: {fields: [{name: size, type: {scalar: numeric}}, {name: color, type: {scalar: string}}, {name: new, type: {scalar: string}}]}
- name: any
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}, elementRelationship: separable}
`

// appTypes is the TypeConverter of apimachinery's field manager for appSchema.
type appTypes struct{ parser *smdtyped.Parser }

func (a appTypes) ObjectToTyped(o runtime.Object, opts ...smdtyped.ValidationOptions) (*smdtyped.TypedValue, error) {
	u := o.(*unstructured.Unstructured)
	return a.parser.Type(strings.TrimPrefix(u.GetAPIVersion(), "ex.io/")).FromUnstructured(u.Object, opts...)
}

func (a appTypes) TypedToObject(v *smdtyped.TypedValue) (runtime.Object, error) {
	object, ok := v.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, errors.New("no object")
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// An entry in a version that does not declare a field of the object blocks every apply on an API
// server. After the repair of Examine, the server accepts applies, and all owners keep their
// fields. The repair is an update, as kubectl replace sends it.
func TestExamineUnblocksServer(t *testing.T) {
	theirs, err := smdtyped.NewParser(appSchema)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := typed.NewParser(appSchema)
	if err != nil {
		t.Fatal(err)
	}
	app := &subject{kind: "App", versions: []string{"ex.io/v2", "ex.io/v1"}}
	s := &server{subject: app}
	gv := schema.GroupVersion{Group: "ex.io", Version: "v2"}
	manager, err := managedfields.NewDefaultCRDFieldManager(appTypes{theirs}, s, s, s, gv.WithKind("App"), gv, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	object := func(text string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return u
	}
	live := object(`{"apiVersion": "ex.io/v2", "kind": "App", "metadata": {"name": "x", "managedFields": [
		{"apiVersion": "ex.io/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:size": {}}}, "manager": "one", "operation": "Apply", "time": "2026-01-01T00:00:00Z"},
		{"apiVersion": "ex.io/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:color": {}}}, "manager": "two", "operation": "Update", "time": "2026-01-01T00:00:00Z"}]},
		"spec": {"size": 1, "color": "red", "new": "x"}}`)
	config := object(`{"apiVersion": "ex.io/v2", "kind": "App", "metadata": {"name": "x"}, "spec": {"new": "y"}}`)

	if _, err := manager.Apply(live.DeepCopy(), config.DeepCopy(), "three", false); err == nil || !strings.Contains(err.Error(), ".spec.new: field not declared in schema") {
		t.Fatalf("before the repair: got %v", err)
	}
	fm, err := fieldmanager.New(fieldmanager.Options{Converter: fieldmanager.NoneConverter, Types: func(apiVersion, kind string) (typed.ParseableType, error) {
		return ours.Type(strings.TrimPrefix(apiVersion, "ex.io/")), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := ownership.Examine(fm, plain.Of(live.Object), ownership.ExamineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := manager.Update(live.DeepCopy(), object(plain.Text(x.Object)), "kubectl-replace")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := plain.Text(stored.(*unstructured.Unstructured).Object), plain.Text(x.Object); got != want {
		t.Errorf("the server stored %s\nwant %s", got, want)
	}
	result, err := manager.Apply(stored, config, "three", false)
	if err != nil {
		t.Fatalf("after the repair: %v", err)
	}
	owners := map[string]string{}
	for _, e := range result.(*unstructured.Unstructured).GetManagedFields() {
		owners[e.Manager] = e.APIVersion + " " + string(e.FieldsV1.Raw)
	}
	for name, want := range map[string]string{
		"one": `ex.io/v2 {"f:spec":{"f:size":{}}}`, "two": `ex.io/v2 {"f:spec":{"f:color":{}}}`, "three": `ex.io/v2 {"f:spec":{"f:new":{}}}`,
	} {
		if owners[name] != want {
			t.Errorf("%s owns %s, want %s", name, owners[name], want)
		}
	}
}
