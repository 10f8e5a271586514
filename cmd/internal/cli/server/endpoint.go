// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// options describe the endpoint that the API server has for an object. If none is known, o
// notes that.
func (m *Requester) options(o *Outcome) fieldmanager.Options {
	m.noteSubresource(o)
	id := o.Object.Identity()
	reset := m.resetFields(id.APIVersion, id.Kind, o.Type)
	o.noteReset(reset)
	return fieldmanager.Options{
		Types:              m.Types.Find,
		Untyped:            m.Types.Untyped,
		Converter:          m.Types.Convert,
		Subresource:        m.subresource,
		ResetFields:        reset,
		Clock:              m.Now,
		StripManagedFields: true,
		IgnoreItemOrder:    m.anyOrder,
		ZeroIsAbsent:       m.zeroes && m.Types.Builtin(id.APIVersion, id.Kind),
		CarryUnknown:       !m.strictLive,
		EqualQuantities:    m.quantities,
		DescribeType:       m.Types.Describe,
		Unions:             !m.ignoreUnions,
		Defaulter:          m.store(o),
		Empty: func(apiVersion, kind string) map[string]any {
			if !m.Types.Builtin(apiVersion, kind) {
				return nil
			}
			object := alwaysWritten(o.Type, o.Type.TypeRef)
			object["apiVersion"], object["kind"] = apiVersion, kind
			return object
		},
	}
}

// resetFields are the fields that the endpoint does not store: status of an
// object that has it as subresource, and everything but status there.
func (m *Requester) resetFields(apiVersion, kind string, t typed.ParseableType) map[fieldpath.APIVersion]*fieldpath.Set {
	if m.Types.Catalog == nil {
		return nil
	}
	k, _ := m.Types.Catalog.Kind(apiVersion, kind)
	hasStatus := false
	for _, s := range k.Subresources {
		hasStatus = hasStatus || s == "status"
	}
	set := fieldpath.NewSet()
	switch {
	case hasStatus && m.subresource == "":
		set.Insert(fieldpath.MakePathOrDie("status"))
	case m.subresource == "status":
		atom, ok := t.Schema.Resolve(t.TypeRef)
		if !ok || atom.Map == nil {
			return nil
		}
		for i := range atom.Map.Fields {
			switch name := atom.Map.Fields[i].Name; name {
			case "apiVersion", "kind", "status":
			default:
				set.Insert(fieldpath.MakePathOrDie(name))
			}
		}
	default:
		return nil
	}
	return map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(apiVersion): set}
}

// noteReset notes which fields of the request its endpoint does not store, if they would
// be a change: what is read from a server is often sent back as a whole.
func (o *Outcome) noteReset(reset map[fieldpath.APIVersion]*fieldpath.Set) {
	for _, set := range reset {
		for e := range set.Members.All() {
			name := *e.FieldName // what is reset are fields of the object
			sent := o.Sent()[name]
			if name == "metadata" || sent == nil || unstructured.IsZero(sent) || reflect.DeepEqual(sent, o.Before[name]) {
				continue
			}
			if o.Maker.subresource == "" {
				o.Warn("."+name, "is left out: it is written by requests to the subresource "+name)
			} else {
				o.Warn("."+name, "is left out: requests to the subresource "+o.Maker.subresource+" do not write it")
			}
		}
	}
}

// alwaysWritten returns the fields of a built-in type that Go's encoder always
// writes: structs, which OpenAPI shows by the default {}. The API server starts
// new objects with them.
func alwaysWritten(t typed.ParseableType, ref schema.TypeRef) map[string]any {
	object := map[string]any{}
	atom, ok := t.Schema.Resolve(ref)
	if !ok || atom.Map == nil {
		return object
	}
	for i := range atom.Map.Fields {
		f := &atom.Map.Fields[i]
		if d, ok := f.Default.(map[string]any); ok && len(d) == 0 {
			object[f.Name] = alwaysWritten(t, f.Type)
		}
	}
	return object
}

// noteSubresource notes of a request to a subresource that an object of its type is not
// known to have what comes of it: all but status and scale are taken for the whole object.
func (m *Requester) noteSubresource(o *Outcome) {
	known := m.subresources(o)
	if m.subresource == "" || slices.Contains(known, m.subresource) {
		return
	}
	id := o.Object.Identity()
	hint := words.DidYouMean(suggest.Nearest(m.subresource, known))
	if hint == "" {
		hint = "; known are " + strings.Join(known, ", ")
	}
	o.Warn("", fmt.Sprintf("%s %s is not known to have a subresource %s: it is taken for a request for the whole object, and the manager owns what it changes through %s%s",
		id.APIVersion, id.Kind, words.Flow(m.subresource), words.Flow(m.subresource), hint))
}

// subresources are those that a request for an object may go to: status and scale, of
// which not all sources tell, and what the type is known to have.
func (m *Requester) subresources(o *Outcome) []string {
	known := []string{"scale", "status"}
	if m.Types.Catalog != nil {
		id := o.Object.Identity()
		k, _ := m.Types.Catalog.Kind(id.APIVersion, id.Kind)
		known = append(known, k.Subresources...)
	}
	slices.Sort(known)
	return slices.Compact(known)
}
