// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// refuseInvalid validates the object that a server would store, and adds an error for each invalid
// value. It does nothing if the request changes nothing, or if the Go code of the Kubernetes
// release has already validated the object.
func (m *Requester) refuseInvalid(o *Outcome) {
	result := cmp.Or(o.Result, o.Preview)
	if result == nil || o.request == nil || o.request.NativeAnswered() || o.Live != nil && !result.Changed {
		return
	}
	object, live := result.Object, o.Before
	if m.masks != nil {
		object = m.masks.Reveal(object)
		if live != nil {
			live = m.masks.Reveal(live)
		}
	}
	causes, err := predictor(m.Types, o).InvalidValues(object, live, m.subresource)
	if err != nil {
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v", err)}
	}
	before := len(o.Errors)
	o.noteInvalid(causes, result.Object)
	if m.subresource == "" {
		o.checkDefinition(object, live)
	}
	if before == 0 && len(o.Errors) > 0 {
		o.refusedStatus = predict.InvalidStatus(causes, m.verb())
	}
	if len(o.Errors) > 0 {
		o.Result = nil
	}
}

// checkDefinition validates object if it is a CustomResourceDefinition, and adds the errors to the
// outcome. It returns false for an object of another kind. The argument object is the object to
// store. The argument live is the object that it replaces, or nil.
func (o *Outcome) checkDefinition(object, live map[string]any) bool {
	id := o.Object.Identity()
	if id.APIVersion != "apiextensions.k8s.io/v1" || id.Kind != "CustomResourceDefinition" {
		return false
	}
	causes, err := invalidDefinition(object, live)
	if err != nil {
		o.Errors = append(o.Errors, o.Object.Errorf("", "%v", err))
	}
	o.noteInvalid(causes, object)
	return true
}

// checkCreate adds an error for each value that an API server would reject if it created an
// object. It fills in defaults first. In a Secret, it checks the real values instead of the masked
// ones. If the object's Namespace is in others, checkCreate also makes the PodSecurity checks.
//
// sent is the object without undeclared fields. decodable is false if a server cannot decode it. In this
// case, checkCreate checks only the metadata of a built-in kind. It returns the rules that it could not
// check.
func checkCreate(t *sources.Types, o *Outcome, sent map[string]any, decodable bool, now time.Time, masks *unstructured.Masks, others Others) (unchecked []string) {
	s, id := predictor(t, o), o.Object.Identity()
	if !decodable && t.Builtin(id.APIVersion, id.Kind) {
		o.noteInvalid(s.InvalidMetadata(sent), sent)
		if o.checkDefinition(sent, nil) {
			return nil
		}
		return append([]string{"values"}, uncheckedSecurity(id, sent, others)...)
	}
	object, _, err := s.Fill(unstructured.SecretAsStored(sent), o.Type, false, now)
	if err != nil { // the type reports this error
		o.noteInvalid(s.InvalidMetadata(sent), sent)
		return nil
	}
	causes, err := s.InvalidValues(masks.Reveal(object), nil, "")
	if err != nil {
		o.Errors = append(o.Errors, o.Object.Errorf("", "%v", err))
		return nil
	}
	o.noteInvalid(withFields(causes, s, object), object)
	o.checkDefinition(object, nil)
	if !slices.ContainsFunc(causes, func(c predict.Cause) bool { return c.Undecodable }) {
		checkSecurity(t, o, object, others)
		return nil
	}
	if causes[0].Field == "" { // the code of the release reports only the first error of this kind
		unchecked = []string{"values"}
	}
	return append(unchecked, uncheckedSecurity(id, object, others)...)
}

// withFields returns causes that name fields, if possible. If the only cause is that a server
// cannot decode the object, and the simple rules find the values that cannot be decoded, withFields
// returns these values. Otherwise, it returns the argument causes.
func withFields(causes []predict.Cause, s *predict.Server, object map[string]any) []predict.Cause {
	if len(causes) == 1 && causes[0].Undecodable && causes[0].Field == "" {
		if found := s.UndecodableValues(object); len(found) > 0 {
			return found
		}
	}
	return causes
}

// noteUndecodable adds an error for each value of the request that a server cannot decode, as far as the
// simple rules find them.
func (o *Outcome) noteUndecodable() {
	object := o.sent.Object
	if o.Maker != nil && o.Maker.masks != nil {
		object = o.Maker.masks.Reveal(object)
	}
	o.noteInvalid(o.server.UndecodableValues(object), o.sent.Object)
}

// uncheckedSecurity returns the name of the PodSecurity checks if they apply to an object.
func uncheckedSecurity(id manifest.Identity, object map[string]any, others Others) []string {
	inNamespace := func(namespace map[string]any) bool {
		return document.MetaString(namespace, "name") == document.MetaString(object, "namespace")
	}
	if !securesPods(id) || !slices.ContainsFunc(others("", "Namespace"), inNamespace) {
		return nil
	}
	return []string{"Pod security rules"}
}

// noteInvalid adds an error for each cause, unless o already has an error about the same problem.
func (o *Outcome) noteInvalid(causes []predict.Cause, object map[string]any) {
	known := o.Errors
	for _, c := range causes {
		path := identify(o.Type, object, c.Field)
		if c.Key != "" {
			path = append(path, fieldpath.FieldNameElement(c.Key))
		}
		at := path.String()
		if len(path) == 0 {
			at = "." + c.Field
		}
		e := o.Object.Errorf(at, "%s%s", c.Message, o.explainLeftovers(path, object, c))
		covered := slices.ContainsFunc(known, func(k *manifest.Error) bool {
			// The merge reports duplicate items, and items without keys, with the path of the list.
			aboutKeys := c.Type == "FieldValueDuplicate" || c.Type == "FieldValueRequired"
			return aboutKeys && o.isItemOrKey(e.Path, k.Path) || o.covers(k, e)
		})
		if !covered {
			e.Path = input.ShortenPath(e.Path)
			o.Errors = append(o.Errors, e)
		}
	}
}

// isItemOrKey reports whether path leads to an item of a list, or to a list key of an item. The argument
// list is the path of the list.
func (o *Outcome) isItemOrKey(path, list string) bool {
	item, inList := strings.CutPrefix(path, list+"[")
	_, field, inItem := strings.Cut(item, "].")
	if !inList || !inItem {
		return inList
	}
	steps, _ := o.Object.Steps(list)
	atom, _ := suggest.TypeAt(o.Type.Schema, o.Type.TypeRef, steps)
	return atom.List != nil && slices.Contains(atom.List.Keys, field)
}

// covers reports whether two errors are about the same value. In metadata, one of the values may also
// contain the other, because some checks report only the path of the whole map of labels.
func (o *Outcome) covers(known, e *manifest.Error) bool {
	if known.Path == e.Path {
		return known.Path != ""
	}
	if isBelow(e.Path, ".metadata") {
		return isBelow(e.Path, known.Path) || isBelow(known.Path, e.Path)
	}
	a, found := o.Object.Steps(known.Path)
	b, alsoFound := o.Object.Steps(e.Path)
	return found && alsoFound && slices.Equal(a, b)
}

// isBelow reports whether a path leads into the value at the path parent.
func isBelow(path, parent string) bool {
	rest, ok := strings.CutPrefix(path, parent)
	return ok && parent != "" && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// explainLeftovers explains why the result of an apply is invalid, if the cause is a field that the
// config does not contain. Another manager owns this field, so the apply keeps it. explainLeftovers
// looks at the field at path. If the server says that some fields exclude each other, it also looks
// at the neighbors of the field at path. It returns "" if it finds no field that the apply keeps,
// and for updates.
func (o *Outcome) explainLeftovers(path fieldpath.Path, object map[string]any, c predict.Cause) string {
	if o.Live == nil || len(path) == 0 || o.Maker == nil || o.Maker.update {
		return ""
	}
	managed, err := managedfields.Decode(o.Live.Content)
	if err != nil {
		return ""
	}
	ownership := fields.NewOwnership(managed.Entries())
	config, merged := place.ObjectOf(o.Type, o.Object.Content), place.ObjectOf(o.Type, object)
	var texts []string
	note := func(path fieldpath.Path) {
		if _, written := config.At(path); written {
			return
		}
		if _, there := merged.At(path); !there {
			return
		}
		if owners := ownership.Of(path); len(owners) > 0 {
			texts = append(texts, fmt.Sprintf("%s was set by %s and remains, because this config does not contain it", path, words.Owners(owners)))
		}
	}
	note(path)
	if c.Type == "FieldValueForbidden" || strings.Contains(c.Message, "may not be specified") {
		parent := path[:len(path)-1]
		if at, ok := merged.At(parent); ok {
			siblings, _ := at.Plain.(map[string]any)
			for _, name := range unstructured.SortedKeys(siblings) {
				if sibling := append(parent[:len(parent):len(parent)], fieldpath.FieldNameElement(name)); !sibling.Equals(path) {
					note(sibling)
				}
			}
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "; " + strings.Join(texts, "; ")
}

// identify converts a path from a message of a server, such as spec.items[0].name, to a path that
// identifies list items by their keys or values. The path may start with a dot. If v does not
// contain the whole path, identify returns the part that exists. In a map, it also adds the name of
// the first missing field.
func identify(t typed.ParseableType, v any, path string) fieldpath.Path {
	var found fieldpath.Path
	path = strings.TrimPrefix(path, ".")
	ref := t.TypeRef
	for path != "" {
		atom, _ := t.Schema.Resolve(ref)
		var step string
		if rest, ok := strings.CutPrefix(path, "["); ok {
			step, path, _ = strings.Cut(rest, "]")
			path = strings.TrimPrefix(path, ".")
		} else {
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], strings.TrimPrefix(path[end:], ".")
		}
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[step]
			if !ok || atom.Map == nil {
				return append(found, fieldpath.FieldNameElement(step))
			}
			v, ref = next, atom.Map.ElementType
			if f, ok := atom.Map.FindField(step); ok {
				ref = f.Type
			}
			found = append(found, fieldpath.FieldNameElement(step))
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(c) || atom.List == nil {
				return found
			}
			e := fieldpath.IndexElement(i)
			if named, ok := fields.Identity(fields.ListType(t.Schema, atom.List), c[i]); ok {
				e = named
			} else if atom.List.ElementRelationship.IsAssociative() && len(atom.List.Keys) == 0 {
				e = fieldpath.ValueElement(value.NewValueInterface(c[i]))
			}
			found, v, ref = append(found, e), c[i], atom.List.ElementType
		default:
			return found
		}
	}
	return found
}
