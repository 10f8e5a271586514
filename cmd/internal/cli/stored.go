// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// read makes of the live object of o what an API server reads from its store for the
// request, and of the object what it decodes: in one version, custom resources with their
// defaults. Both have the fields that they may have.
func (m *requester) read(o *outcome) manifest.Errors {
	var err error
	if o.live != nil {
		if o.before, o.filledBefore, err = m.types.filled(o, o.before); err != nil {
			return manifest.Errors{o.live.Errorf("", "%v", err)}
		}
	}
	o.noteSystemMetadata()
	o.body = o.sent()
	if m.update {
		o.body = systemMetadata(o.body, o.before, true)
		if o.body, o.filled, err = m.types.filled(o, o.body); err != nil {
			return manifest.Errors{o.object.Errorf("", "%v", err)}
		}
	}
	return nil
}

// store is a fieldmanager.Defaulter: it makes of what an apply has merged what an API
// server stores.
func (m *requester) store(o *outcome) func(map[string]any) (map[string]any, error) {
	return func(object map[string]any) (_ map[string]any, err error) {
		object = systemMetadata(secretAsStored(object), o.before, false)
		object, o.filled, err = m.types.filled(o, object)
		return object, err
	}
}

// filled is a custom resource as an API server has it: without what its definition does
// not know, unless o carries such fields, and with its defaults, which are listed. Of
// other objects it is the object.
func (t *types) filled(o *outcome, object map[string]any) (_ map[string]any, defaults []leftToDefault, err error) {
	id := o.object.Identity()
	if !t.custom(id) {
		return object, nil, nil
	}
	plain := withoutManagedFields(object)
	after := plain
	done := false
	if !o.carries {
		if after, done, err = t.completed(id, plain); err != nil {
			return nil, nil, err
		}
	}
	if !done || t.overlaid {
		whole, err := typed.AsTypedUnvalidated(value.NewValueInterface(after), o.liveType.Schema, o.liveType.TypeRef).Default()
		if err != nil {
			return nil, nil, err
		}
		after, _ = whole.AsValue().Unstructured().(map[string]any) // what was an object stays one
	}
	search := &defaultSearch{schema: o.typ.Schema, filled: true}
	search.value(o.typ.TypeRef, plain, after, false, nil)
	return withManagedFields(after, object), search.found, nil
}

// custom says whether an object is of a kind that a CRD defines.
func (t *types) custom(id manifest.Identity) bool {
	if t.catalog == nil {
		return false
	}
	k, ok := t.catalog.Kind(id.APIVersion, id.Kind)
	return ok && slices.ContainsFunc(t.crds, func(crd openapi.Document) bool { return crd.Name == k.Source })
}

// withManagedFields is object with the managed fields of another one, a shallow copy.
func withManagedFields(object, of map[string]any) map[string]any {
	from, _ := of["metadata"].(map[string]any)
	managed, there := from["managedFields"]
	if !there {
		return object
	}
	metadata, _ := object["metadata"].(map[string]any)
	object, metadata = shallow(object), shallow(metadata)
	metadata["managedFields"] = managed
	object["metadata"] = metadata
	return object
}

// noteFilled adds to the list of defaults of o those that are in what is stored and not
// in what was sent.
func (o *outcome) noteFilled() {
	if o.result == nil {
		return
	}
	find := newFinder(o.typ)
	for _, l := range slices.Concat(o.filledBefore, o.filled) {
		_, stays := find.valueAt(o.result.Object, l.at)
		if sent, _ := find.valueAt(o.sent(), l.at); stays && sent == nil {
			o.defaulted = append(o.defaulted, l.path)
		}
	}
	slices.SortStableFunc(o.defaulted, strings.Compare)
	o.defaulted = slices.Compact(o.defaulted)
}

// convertLive makes o.before of the live object: it may be in another version than the
// request.
func (t *types) convertLive(o *outcome) *manifest.Error {
	if o.live == nil {
		return nil
	}
	o.before = o.live.Content
	if t.clusterWide(o.object.Identity()) {
		o.before = withoutNamespace(o.before)
	}
	is, want := o.live.Identity(), o.object.Identity()
	if is.APIVersion == want.APIVersion {
		return nil
	}
	converted, err := t.convert(o.before, want.APIVersion)
	if err != nil {
		return o.object.Errorf("", "the live object (%v) is in %s, and what it is in %s cannot be told offline: %v", o.live.Start(), is.APIVersion, want.APIVersion, t.inVersion(o, err))
	}
	o.before = converted
	t.dropUnconverted(o)
	return nil
}

// inVersion says how to give the live object of o in the version of the request.
func (t *types) inVersion(o *outcome, why error) error {
	is, want := o.live.Identity(), o.object.Identity()
	way := "give it in " + want.APIVersion
	if k, _ := t.catalog.Kind(want.APIVersion, want.Kind); k.Resource != "" {
		group, version, _ := strings.Cut(want.APIVersion, "/")
		command := fmt.Sprintf("kubectl get %s.%s.%s %s", k.Resource, version, group, is.Name)
		if is.Namespace != "" && k.Scope != openapi.ClusterWide {
			command += " -n " + is.Namespace
		}
		way += fmt.Sprintf(" (%s -o yaml --show-managed-fields)", command)
	}
	if shape, ok := why.(*noConversion); ok {
		return fmt.Errorf("%s; %s, or the object in %s; if both have one shape, give --conversion=%s", shape.why, way, is.APIVersion, sameShape)
	}
	return fmt.Errorf("%w; %s", why, way)
}

// dropUnconverted takes fields out of o.before that the version it was in has and that
// of the request has not, as an API server does when it converts. What neither has is
// left: the definition is older than the object.
func (t *types) dropUnconverted(o *outcome) {
	id := o.live.Identity()
	was, err := t.find(id.APIVersion, id.Kind)
	if err != nil || !t.custom(o.object.Identity()) {
		return
	}
	if _, err := was.FromUnstructured(withoutManagedFields(o.live.Content), typed.AllowDuplicates); err != nil {
		return
	}
	plain := withoutManagedFields(o.before)
	_, err = o.typ.FromUnstructured(plain, typed.AllowDuplicates)
	lost, _ := splitUnknown(err)
	if len(lost) == 0 {
		return
	}
	pruned, err := typed.AsTypedUnvalidated(value.NewValueInterface(plain), o.typ.Schema, o.typ.TypeRef).Prune()
	if err != nil {
		return // the validation that follows says why
	}
	after, _ := pruned.AsValue().Unstructured().(map[string]any) // what was an object stays one
	for _, e := range lost {
		o.warnings = append(o.warnings, warning{o.live.Position(e.Path), e.Path,
			fmt.Sprintf("goes: %s has this field, and %s, which the request is made in, does not", id.APIVersion, o.object.Identity().APIVersion)})
	}
	o.before = withManagedFields(after, o.before)
}
