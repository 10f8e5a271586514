// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apiserver/pkg/admission"
	plugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	cel "k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// patcher computes the patched copy of an object.
type patcher interface {
	patch(ctx context.Context, m *mutator, v *invocation, at *admission.VersionedAttributes) (map[string]any, error)
}

// Expressions for apply configurations return a configType. Expressions for JSON patches return a
// list of patchType.
var (
	configType = types.NewObjectType("Object")
	patchType  = types.NewObjectType("JSONPatch")
)

// applyConfiguration evaluates an expression and merges the result into the object, as the type of
// the object specifies.
type applyConfiguration struct{ plugin.MutatingEvaluator }

func (p *applyConfiguration) patch(ctx context.Context, m *mutator, v *invocation, at *admission.VersionedAttributes) (map[string]any, error) {
	result, err := m.evaluate(ctx, p, v, at, celconfig.RuntimeCELCostBudget)
	if err != nil {
		return nil, err
	}
	made, ok := result.EvalResult.(*dynamic.ObjectVal)
	if !ok {
		return nil, fmt.Errorf("unsupported return type from ApplyConfiguration expression: %v", result.EvalResult.Type())
	}
	if err := made.CheckTypeNamesMatchFieldPathNames(); err != nil {
		return nil, fmt.Errorf("type mismatch: %w", err)
	}
	config, ok := made.Value().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("invalid return type: %T", result.EvalResult)
	}
	object := contentOf(at)
	config = plainObject(config)
	config["apiVersion"], config["kind"] = object["apiVersion"], object["kind"]
	t, err := m.typeOf(v.on.kind)
	if err != nil {
		return nil, err
	}
	merged, err := merge(t, object, config)
	if err != nil {
		return nil, fmt.Errorf("error applying patch: %w", err)
	}
	return merged, nil
}

func (m *mutator) typeOf(kind gvk) (typed.ParseableType, error) {
	if kind == m.kind && m.admission.Request.Type.Schema != nil {
		return m.admission.Request.Type, nil
	}
	return m.set.options.Types(kind.GroupVersion().String(), kind.Kind)
}

// merge merges config into object. Both are of the type t.
func merge(t typed.ParseableType, object, config map[string]any) (map[string]any, error) {
	patch, err := t.FromUnstructured(config)
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if whole := atomics(t.Schema, t.TypeRef, config, nil); len(whole) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %s", strings.Join(whole, ", "))
	}
	live, err := t.FromUnstructured(object, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	merged, err := live.Merge(patch)
	if err != nil {
		return nil, fmt.Errorf("failed to merge patch: %w", err)
	}
	after, ok := merged.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, errors.New("failed to convert typed object to object")
	}
	return plainObject(after), nil
}

// atomics returns the paths of atomic lists and maps in an apply configuration. Policies must not
// change these.
func atomics(s *schema.Schema, ref schema.TypeRef, v any, path fieldpath.Path) (found []string) {
	atom, ok := s.Resolve(ref)
	if !ok {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if atom.Map == nil {
			return nil
		}
		if atom.Map.ElementRelationship.IsAtomic() {
			found = append(found, path.String())
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if f, ok := atom.Map.FindField(name); ok {
				found = append(found, atomics(s, f.Type, v[name], append(path[:len(path):len(path)], fieldpath.FieldNameElement(name)))...)
			}
		}
	case []any:
		if atom.List == nil {
			return nil
		}
		if atom.List.ElementRelationship.IsAtomic() {
			found = append(found, path.String())
		}
		for i, item := range v {
			found = append(found, atomics(s, atom.List.ElementType, item, append(path[:len(path):len(path)], fieldpath.IndexElement(i)))...)
		}
	}
	return found
}

// jsonPatch applies the list of operations that an expression returns.
type jsonPatch struct{ plugin.MutatingEvaluator }

func (p *jsonPatch) patch(ctx context.Context, m *mutator, v *invocation, at *admission.VersionedAttributes) (map[string]any, error) {
	result, err := m.evaluate(ctx, p, v, at, celconfig.RuntimeCELCostBudget)
	if err != nil {
		return nil, err
	}
	list, ok := result.EvalResult.(traits.Lister)
	if !ok {
		return nil, errors.New("type mismatch: JSONPatchType.expression should evaluate to array")
	}
	patch := jsonpatch.Patch{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		made, err := it.Next().ConvertToNative(reflect.TypeFor[*cel.JSONPatchVal]())
		if err != nil {
			return nil, fmt.Errorf("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch: %w", err)
		}
		op, err := operation(made.(*cel.JSONPatchVal))
		if err != nil {
			return nil, err
		}
		patch = append(patch, op)
	}
	object := contentOf(at)
	data, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("failed to create JSON patch: %w", err)
	}
	patched, err := patch.Apply(data)
	if errors.Is(err, jsonpatch.ErrTestFailed) {
		return object, nil
	}
	if err != nil {
		return nil, fmt.Errorf("JSON Patch: %w", err)
	}
	return m.decode(patched, v.on.kind)
}

// operation converts an operation of a JSON patch from CEL.
func operation(patch *cel.JSONPatchVal) (jsonpatch.Operation, error) {
	op := jsonpatch.Operation{}
	text := func(name, value string) {
		data, _ := json.Marshal(value) // a string can always be encoded
		raw := json.RawMessage(data)
		op[name] = &raw
	}
	text("op", patch.Op)
	text("path", patch.Path)
	if patch.From != "" {
		text("from", patch.From)
	}
	if patch.Val == nil {
		return op, nil
	}
	if object, ok := patch.Val.(*dynamic.ObjectVal); ok {
		if err := object.CheckTypeNamesMatchFieldPathNames(); err != nil {
			return nil, fmt.Errorf("type mismatch: %w", err)
		}
	}
	made, err := patch.Val.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	var data []byte
	if err == nil {
		data, err = json.Marshal(made)
	}
	if err != nil {
		return nil, fmt.Errorf("JSONPath valueExpression evaluated to a type that could not marshal to JSON: %w", err)
	}
	raw := json.RawMessage(data)
	op["value"] = &raw
	return op, nil
}

// decode decodes a patched object. It returns an error if the Go type lacks one of the
// fields.
func (m *mutator) decode(data []byte, kind gvk) (map[string]any, error) {
	var object map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		return nil, internal(err)
	}
	object = plainObject(object)
	if k := m.set.kinds[kind]; k.Source != "" || !openapi.IsKubernetes(k.Type) {
		return object, nil
	}
	t, err := m.typeOf(kind)
	if err != nil {
		return nil, err
	}
	v, err := t.FromUnstructured(object, typed.AllowDuplicates)
	var wrong typed.ValidationErrors
	if err != nil && errors.As(err, &wrong) || v == nil {
		return nil, internal(fmt.Errorf("strict decoder error: %w", err))
	}
	return object, nil
}

func internal(err error) error {
	return &fieldmanager.RequestError{Status: http.StatusInternalServerError, Message: "Internal error occurred: " + err.Error()}
}
