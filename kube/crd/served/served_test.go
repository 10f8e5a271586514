// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package served_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

const widgets = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"}, "spec": {
	"group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"}, "versions": [{"name": "v1", "served": true, "storage": true,
	"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 1}}}}}}}]}}`

// A custom resource is known from the call of Define until the call of Forget.
func TestDefine(t *testing.T) {
	types, err := served.New(served.Options{Release: "1.37"})
	if err != nil {
		t.Fatal(err)
	}
	builtin := len(types.Kinds())
	predicted := func() (map[string]any, error) {
		done, err := types.Server().Predict(&predict.Request{Verb: predict.Apply, Manager: "a", Time: time.Unix(0, 0), Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "namespace": "default"}, "spec": map[string]any{},
		}})
		if err != nil {
			return nil, err
		}
		return done.Object, nil
	}
	if _, err := predicted(); err == nil {
		t.Error("a kind without a definition is known")
	}
	d, err := types.Define([]byte(widgets))
	if err != nil || d.Name != "widgets.example.com" || d.Webhook {
		t.Fatalf("%+v, %v", d, err)
	}
	object, err := predicted()
	if err != nil || object["spec"].(map[string]any)["size"] != int64(1) {
		t.Errorf("%v, %v", object, err)
	}
	if v, custom := types.Version("example.com/v2", "Widget"); v != nil || !custom {
		t.Errorf("a version that does not exist: %v, %v", v, custom)
	}
	if v, custom := types.Version("apps/v1", "Deployment"); v != nil || custom {
		t.Errorf("a built-in kind: %v, %v", v, custom)
	}
	if got := len(types.Kinds()); got != builtin+2 {
		t.Errorf("%d kinds, want two more than %d, with the list", got, builtin)
	}
	// A server does not serve a second definition of the kind.
	second := strings.NewReplacer("widgets", "others", `"default": 1`, `"default": 2`).Replace(widgets)
	refused := strings.TrimSuffix(second, "}") + `, "status": {"conditions": [{"type": "NamesAccepted", "status": "False"}, {"type": "Established", "status": "False"}]}}`
	if d, err := types.Define([]byte(refused)); err != nil || d.Name != "others.example.com" {
		t.Errorf("%+v, %v", d, err)
	}
	types.Forget("others.example.com")
	if d := types.Definition("example.com/v1", "Widget"); d == nil || d.Name != "widgets.example.com" {
		t.Errorf("the definition of the kind is %+v", d)
	}
	types.Forget("widgets.example.com")
	if _, err := predicted(); err == nil {
		t.Error("a kind is known after Forget")
	}
	for _, bad := range []string{"", "{}", widgets + "\n---\n" + widgets, `{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"}`} {
		if d, err := types.Define([]byte(bad)); err == nil {
			t.Errorf("%.60s is a definition: %+v", bad, d)
		}
	}
	if _, err := served.New(served.Options{Release: "1.2"}); err == nil {
		t.Error("1.2 is a release")
	}
}
