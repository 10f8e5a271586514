// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"context"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    selectableFields: [{jsonPath: .spec.class}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [class]
            properties:
              class: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: class stays}]}
              size: {type: integer, default: 1, maximum: 10}
              tags: {type: object, additionalProperties: {type: string}}
          status:
            type: object
            properties:
              size: {type: integer}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              class: {type: string}
              size: {type: integer}
`

var widget = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func start(t testing.TB, o testserver.Options) *testserver.Server {
	t.Helper()
	s, err := testserver.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func typedClient(t testing.TB, s *testserver.Server, change func(*rest.Config)) kubernetes.Interface {
	t.Helper()
	config := s.Config()
	if change != nil {
		change(config)
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func shop(replicas int32) *applyapps.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "shop"}
	return applyapps.Deployment("shop", "default").WithSpec(applyapps.DeploymentSpec().WithReplicas(replicas).
		WithSelector(applymeta.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(applycore.PodTemplateSpec().WithLabels(labels).WithSpec(applycore.PodSpec().
			WithContainers(applycore.Container().WithName("web").WithImage("shop:1")))))
}

// Typed clients must get a real server's responses, both with JSON and with protocol
// buffers. The test covers defaults, conflicts, managed fields and subresources.
func TestTypedClient(t *testing.T) {
	s := start(t, testserver.Options{})
	for name, change := range map[string]func(*rest.Config){
		"json":     nil,
		"protobuf": func(c *rest.Config) { c.ContentType = runtime.ContentTypeProtobuf },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			c := typedClient(t, s, change)
			if v, err := c.Discovery().ServerVersion(); err != nil || v.Minor != "37" {
				t.Fatalf("version: %v, %v", v, err)
			}
			d, err := c.AppsV1().Deployments("default").Apply(ctx, shop(2), metav1.ApplyOptions{FieldManager: "gitops"})
			if err != nil {
				t.Fatal(err)
			}
			if d.UID == "" || d.Generation != 1 || d.CreationTimestamp.IsZero() || d.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType {
				t.Errorf("the new object lacks values that a server sets: %+v", d)
			}
			_, err = c.AppsV1().Deployments("default").Apply(ctx, shop(3), metav1.ApplyOptions{FieldManager: "scaler"})
			if !apierrors.IsConflict(err) || len(err.(*apierrors.StatusError).ErrStatus.Details.Causes) != 1 ||
				err.(*apierrors.StatusError).ErrStatus.Details.Causes[0].Type != metav1.CauseTypeFieldManagerConflict {
				t.Errorf("want a conflict, got %v", err)
			}
			if _, err = c.AppsV1().Deployments("default").Apply(ctx, shop(3), metav1.ApplyOptions{FieldManager: "scaler", Force: true}); err != nil {
				t.Fatal(err)
			}
			d, err = c.AppsV1().Deployments("default").Get(ctx, "shop", metav1.GetOptions{})
			if err != nil || len(d.ManagedFields) != 2 || d.Generation != 2 {
				t.Fatalf("%v, generation %d, managed fields: %v", err, d.Generation, d.ManagedFields)
			}
			d.Spec.Template.Spec.Containers[0].Image = "shop:2"
			updated, err := c.AppsV1().Deployments("default").Update(ctx, d, metav1.UpdateOptions{FieldManager: "kubectl-edit"})
			if err != nil || len(updated.ManagedFields) != 3 {
				t.Fatalf("%v, %v", err, updated)
			}
			if _, err := c.AppsV1().Deployments("default").Update(ctx, d, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				t.Errorf("an update with an old resourceVersion: %v", err)
			}
			updated.Spec.Selector.MatchLabels["app"] = "other"
			if _, err := c.AppsV1().Deployments("default").Update(ctx, updated, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "field is immutable") {
				t.Errorf("an update of the selector: %v", err)
			}
			patched, err := c.AppsV1().Deployments("default").Patch(ctx, "shop", types.StrategicMergePatchType,
				[]byte(`{"spec": {"template": {"spec": {"containers": [{"name": "web", "env": [{"name": "A", "value": "1"}]}]}}}}`), metav1.PatchOptions{})
			if err != nil || patched.Spec.Template.Spec.Containers[0].Image != "shop:2" || len(patched.Spec.Template.Spec.Containers[0].Env) != 1 {
				t.Fatalf("%v, %+v", err, patched.Spec.Template.Spec.Containers)
			}
			patched, err = c.AppsV1().Deployments("default").Patch(ctx, "shop", types.JSONPatchType,
				[]byte(`[{"op": "test", "path": "/spec/replicas", "value": 3}, {"op": "replace", "path": "/spec/replicas", "value": 5}]`), metav1.PatchOptions{})
			if err != nil || *patched.Spec.Replicas != 5 {
				t.Fatalf("%v, %v", err, patched)
			}
			scale, err := c.AppsV1().Deployments("default").GetScale(ctx, "shop", metav1.GetOptions{})
			if err != nil || scale.Spec.Replicas != 5 || scale.Status.Selector != "app=shop" {
				t.Fatalf("%v, %v", err, scale)
			}
			scale.Spec.Replicas = 7
			if scale, err = c.AppsV1().Deployments("default").UpdateScale(ctx, "shop", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 7 {
				t.Fatalf("%v, %v", err, scale)
			}
			if _, err := c.AppsV1().Deployments("default").UpdateScale(ctx, "shop", &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "shop", ResourceVersion: "1"}}, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				t.Errorf("a scale with an old resourceVersion: %v", err)
			}
			if patched, err = c.AppsV1().Deployments("default").Get(ctx, "shop", metav1.GetOptions{}); err != nil {
				t.Fatal(err)
			}
			patched.Status.Replicas, patched.Spec.Replicas = 4, nil
			after, err := c.AppsV1().Deployments("default").UpdateStatus(ctx, patched, metav1.UpdateOptions{})
			if err != nil || after.Status.Replicas != 4 || *after.Spec.Replicas != 7 {
				t.Fatalf("%v, %v", err, after)
			}
			if _, err := c.CoreV1().ConfigMaps("nowhere").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, metav1.CreateOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("an object in a missing namespace: %v", err)
			}
			m, err := c.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "m-"}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if err != nil || len(m.Name) != len("m-")+5 {
				t.Fatalf("%v, %v", err, m)
			}
			if _, err := c.CoreV1().ConfigMaps("default").Get(ctx, m.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("a dry run was stored: %v", err)
			}
			if _, err := c.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "No Name"}}, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
				t.Errorf("an invalid name: %v", err)
			}
			if err := c.AppsV1().Deployments("default").Delete(ctx, "shop", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := c.AppsV1().Deployments("default").Delete(ctx, "shop", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("deleted twice: %v", err)
			}
		})
	}
}

// A definition that a client creates is served at once, and its rules apply.
func TestCustomResources(t *testing.T) {
	ctx := t.Context()
	s := start(t, testserver.Options{Definitions: [][]byte{[]byte(widgets)}})
	c, err := dynamic.NewForConfig(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	crds := c.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	d, err := crds.Get(ctx, "widgets.example.com", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if conditions, _, _ := unstructured.NestedSlice(d.Object, "status", "conditions"); len(conditions) != 2 {
		t.Errorf("the definition is not established: %v", d.Object["status"])
	}
	all := c.Resource(widget).Namespace("default")
	object := func(spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": spec}}
	}
	if _, err := all.Create(ctx, object(map[string]any{"size": int64(2)}), metav1.CreateOptions{}); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.class: Required value") {
		t.Errorf("without a required field: %v", err)
	}
	if _, err := all.Create(ctx, object(map[string]any{"class": "a", "colour": "red"}), metav1.CreateOptions{FieldValidation: "Strict"}); !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `unknown field "spec.colour"`) {
		t.Errorf("with an unknown field: %v", err)
	}
	w, err := all.Create(ctx, object(map[string]any{"class": "a", "colour": "red"}), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if size, _, _ := unstructured.NestedInt64(w.Object, "spec", "size"); size != 1 || w.Object["spec"].(map[string]any)["colour"] != nil {
		t.Errorf("the object was not defaulted and pruned: %v", w.Object["spec"])
	}
	if _, err := all.Apply(ctx, "w", object(map[string]any{"class": "b"}), metav1.ApplyOptions{FieldManager: "x", Force: true}); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "class stays") {
		t.Errorf("against a transition rule: %v", err)
	}
	apply := func(tags any) error {
		_, err := all.Apply(ctx, "w", object(map[string]any{"class": "a", "tags": tags}), metav1.ApplyOptions{FieldManager: "x"})
		return err
	}
	const noNull = `Widget.example.com "w" is invalid: spec.tags: Invalid value: "null": spec.tags in body must be of type object: "null"`
	if err := apply(nil); !apierrors.IsInvalid(err) || err.Error() != noNull {
		t.Errorf("an applied null: %v", err)
	}
	if err := apply(map[string]any{"a": "b"}); err != nil {
		t.Fatal(err)
	}
	if err := apply(map[string]any{}); !apierrors.IsInvalid(err) || err.Error() != noNull {
		t.Errorf("a null that an emptied map leaves: %v", err)
	}
	if _, err := all.Patch(ctx, "w", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{}); !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("a strategic merge patch: %v", err)
	}
	if _, err := all.Patch(ctx, "w", types.MergePatchType, []byte(`{"spec": {"size": 4}}`), metav1.PatchOptions{}, "scale"); err != nil {
		// A Scale has this field at another path, so the patch changes nothing.
		t.Fatal(err)
	}
	scaled, err := all.Patch(ctx, "w", types.MergePatchType, []byte(`{"spec": {"replicas": 4}}`), metav1.PatchOptions{}, "scale")
	if err != nil || scaled.GetKind() != "Scale" {
		t.Fatalf("%v, %v", err, scaled)
	}
	second, err := c.Resource(widget.GroupResource().WithVersion("v2")).Namespace("default").Get(ctx, "w", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if size, _, _ := unstructured.NestedInt64(second.Object, "spec", "size"); size != 4 || second.GetAPIVersion() != "example.com/v2" {
		t.Errorf("in the other version: %v", second.Object)
	}
	listed, err := all.List(ctx, metav1.ListOptions{FieldSelector: "spec.class=a"})
	if err != nil || len(listed.Items) != 1 || listed.GetKind() != "WidgetList" {
		t.Errorf("%v, %v", err, listed)
	}
	// The server returns objects with the current defaults of the definition, also in
	// watches.
	if _, err := crds.Patch(ctx, "widgets.example.com", types.JSONPatchType, []byte(`[
		{"op": "add", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/colour", "value": {"type": "string", "default": "red"}}]`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if w, err = all.Get(ctx, "w", metav1.GetOptions{}); err != nil || w.Object["spec"].(map[string]any)["colour"] != "red" {
		t.Errorf("a new default: %v, %v", err, w)
	}
	// If a version is no longer served, the server still reads managed fields in that version
	// with the version's schema.
	if _, err := c.Resource(widget.GroupResource().WithVersion("v2")).Namespace("default").Apply(ctx, "w", &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v2", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{"class": "a"},
	}}, metav1.ApplyOptions{FieldManager: "second", Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := crds.Patch(ctx, "widgets.example.com", types.JSONPatchType, []byte(`[{"op": "replace", "path": "/spec/versions/1/served", "value": false}]`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Apply(ctx, "w", object(map[string]any{"class": "a"}), metav1.ApplyOptions{FieldManager: "second", Force: true}); err == nil || !strings.Contains(err.Error(), ".spec.colour: field not declared in schema") {
		t.Errorf("an owner in a version without the new field: %v", err)
	}
	if err := crds.Delete(ctx, "widgets.example.com", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := all.List(ctx, metav1.ListOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the definition was deleted: %v", err)
	}
}

// Informers must see all events in order, and the pages of a list must together contain
// all objects.
func TestInformersAndPages(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := start(t, testserver.Options{})
	c := typedClient(t, s, nil)
	create := func(name string) {
		t.Helper()
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"tier": name[:1]}}}
		if _, err := c.CoreV1().ConfigMaps("default").Create(ctx, m, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	create("a1")
	create("b1")
	events := make(chan string, 100)
	factory := informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "tier=a" }))
	informer := factory.Core().V1().ConfigMaps().Informer()
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { events <- "add " + o.(*corev1.ConfigMap).Name },
		UpdateFunc: func(_, o any) { events <- "update " + o.(*corev1.ConfigMap).Name },
		DeleteFunc: func(o any) { events <- "delete " + o.(*corev1.ConfigMap).Name },
	})
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("the informer does not sync")
	}
	create("a2")
	patch := func(name, label string) {
		t.Helper()
		if _, err := c.CoreV1().ConfigMaps("default").Patch(ctx, name, types.MergePatchType, []byte(`{"metadata": {"labels": {"tier": "`+label+`"}}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	patch("b1", "a")
	patch("a1", "b")
	if err := c.CoreV1().ConfigMaps("default").Delete(ctx, "a2", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"add a1", "add a2", "add b1", "delete a1", "delete a2"} {
		select {
		case got := <-events:
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		case <-ctx.Done():
			t.Fatal("no event, want " + want)
		}
	}
	names := map[string]bool{}
	o := metav1.ListOptions{Limit: 1}
	for {
		page, err := c.CoreV1().ConfigMaps("").List(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Items {
			names[m.Name] = true
		}
		if o.Continue = page.Continue; o.Continue == "" {
			break
		}
	}
	if len(names) != 2 {
		t.Errorf("pages have %v", names)
	}
}

// A deleted object with finalizers is removed when its last finalizer is removed.
func TestFinalizers(t *testing.T) {
	ctx := t.Context()
	c := typedClient(t, start(t, testserver.Options{}), nil).CoreV1().ConfigMaps("default")
	if _, err := c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m", Finalizers: []string{"example.com/wait"}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	uid := types.UID("other")
	if err := c.Delete(ctx, "m", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}); !apierrors.IsConflict(err) {
		t.Errorf("another uid: %v", err)
	}
	if err := c.Delete(ctx, "m", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if m, err := c.Get(ctx, "m", metav1.GetOptions{}); err != nil || m.DeletionTimestamp == nil {
		t.Fatalf("%v, %v", err, m)
	}
	if _, err := c.Patch(ctx, "m", types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, "m", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("still there: %v", err)
	}
	for _, name := range []string{"x", "y"} {
		if _, err := c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"of": name}}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "of=x"}); err != nil {
		t.Fatal(err)
	}
	if left, err := c.List(ctx, metav1.ListOptions{}); err != nil || len(left.Items) != 1 || left.Items[0].Name != "y" {
		t.Errorf("%v, %v", err, left)
	}
}

// A deleted Namespace accepts no new objects. The server removes the Namespace once it
// is finalized. The test finalizes it.
func TestNamespaceEnds(t *testing.T) {
	ctx := t.Context()
	c := typedClient(t, start(t, testserver.Options{}), nil)
	if _, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.CoreV1().Namespaces().Delete(ctx, "shop", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	n, err := c.CoreV1().Namespaces().Get(ctx, "shop", metav1.GetOptions{})
	if err != nil || n.Status.Phase != corev1.NamespaceTerminating {
		t.Fatalf("%v, %v", err, n.Status)
	}
	if _, err := c.CoreV1().ConfigMaps("shop").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a new object: %v", err)
	}
	n.Spec.Finalizers = nil
	if _, err := c.CoreV1().Namespaces().Finalize(ctx, n, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CoreV1().Namespaces().Get(ctx, "shop", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("still there: %v", err)
	}
}

// Applying an object that does not exist creates it, even with a resourceVersion. If the
// object exists, the resourceVersion must match. An update can also create a Lease.
func TestPreconditions(t *testing.T) {
	ctx := t.Context()
	c := typedClient(t, start(t, testserver.Options{}), nil)
	config := func(data string) *applycore.ConfigMapApplyConfiguration {
		return applycore.ConfigMap("m", "default").WithData(map[string]string{"a": data}).WithResourceVersion("1")
	}
	if _, err := c.CoreV1().ConfigMaps("default").Apply(ctx, config("1"), metav1.ApplyOptions{FieldManager: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CoreV1().ConfigMaps("default").Apply(ctx, config("2"), metav1.ApplyOptions{FieldManager: "x"}); !apierrors.IsConflict(err) {
		t.Errorf("an apply with an old resourceVersion: %v", err)
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l", Namespace: "default"}}
	if _, err := c.CoordinationV1().Leases("default").Update(ctx, lease, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := c.CoreV1().Secrets("default").Update(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, metav1.UpdateOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("an update of an object that does not exist: %v", err)
	}
}

// The OpenAPI documents must contain all types. Reading them back must give types with the
// same structure.
func TestDocumentsAreComplete(t *testing.T) {
	s := start(t, testserver.Options{Definitions: [][]byte{[]byte(widgets)}})
	c := typedClient(t, s, nil)
	v2, err := c.Discovery().OpenAPISchema()
	if err != nil || len(v2.GetDefinitions().GetAdditionalProperties()) < 500 {
		t.Errorf("version 2: %v", err)
	}
	paths, err := c.Discovery().OpenAPIV3().Paths()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"apis/apps/v1", "apis/example.com/v1", "api/v1"} {
		data, err := paths[path].Schema(runtime.ContentTypeJSON)
		if err != nil {
			t.Fatal(err)
		}
		again := openapi.New(openapi.Options{})
		if err := again.AddOpenAPI(path, data); err != nil {
			t.Fatal(err)
		}
		for _, k := range again.Kinds() {
			if k.Kind == "Deployment" || k.Kind == "Pod" || k.Kind == "Service" || k.Kind == "Widget" {
				was, _ := openapi.Builtin(openapi.Options{}).Type(k.APIVersion, k.Kind)
				if k.Kind == "Widget" {
					from := openapi.New(openapi.Options{})
					if err := from.AddCRD("widgets", []byte(widgets)); err != nil {
						t.Fatal(err)
					}
					was, _ = from.Type(k.APIVersion, k.Kind)
				}
				is, _ := again.Type(k.APIVersion, k.Kind)
				for i := range was.Schema.Types {
					name := was.Schema.Types[i].Name
					if m := was.Schema.Types[i].Map; m == nil || len(m.Fields) == 0 {
						continue
					} else if of, ok := is.Schema.FindNamedType(name); !ok || of.Map == nil || len(of.Map.Fields) != len(m.Fields) {
						t.Errorf("%s: %s is another type", k.Kind, name)
					}
				}
			}
		}
	}
}

// Every release can be served. If data about the release is missing, the option Partial is
// required.
func TestReleases(t *testing.T) {
	for _, release := range openapi.Releases() {
		missing := openapi.Missing(release)
		if len(missing) > 0 {
			if _, err := testserver.New(testserver.Options{Release: release}); err == nil || !strings.Contains(err.Error(), missing[0]) {
				t.Errorf("%s: %v", release, err)
			}
		}
		c := typedClient(t, start(t, testserver.Options{Release: release, Partial: len(missing) > 0}), nil)
		v, err := c.Discovery().ServerVersion()
		if err != nil || v.GitVersion != release {
			t.Errorf("%s: %v, %v", release, v, err)
		}
		if _, err := c.AppsV1().Deployments("default").Apply(t.Context(), shop(1), metav1.ApplyOptions{FieldManager: "a"}); err != nil {
			t.Errorf("%s: %v", release, err)
		}
	}
	if _, err := testserver.New(testserver.Options{Release: "1.2"}); err == nil {
		t.Error("1.2 is served")
	}
}
