// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package clientside

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Kubectl is the manager name of "kubectl apply --server-side". Only an apply by this manager
// updates the annotation of client-side apply, and uses it to decide about conflicts.
const Kubectl = "kubectl"

// LastAppliedAnnotation is the annotation in which client-side apply stores the configuration
// that it last applied.
const LastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// Manager is the manager name of kubectl's client-side apply.
const Manager = "kubectl-client-side-apply"

// Path is the path of LastAppliedAnnotation in an object.
var Path = fieldpath.MakePathOrDie("metadata", "annotations", LastAppliedAnnotation)

// IsEntry reports whether e is an entry of client-side apply. Such an entry is an Update of the
// main resource. Its manager has the name that kubectl uses, or owns the last-applied
// annotation.
func IsEntry(e *managedfields.Entry) bool {
	return e.Operation == managedfields.OperationUpdate && e.Subresource == "" && (e.Manager == Manager || e.Set.Has(Path))
}

// maxAnnotations is the maximum size of the annotations of an object, in bytes.
const maxAnnotations = 256 << 10

// Fields returns the fields that have the same value in object and in its last-applied
// annotation. object must have the type t. The configuration in the annotation must have the
// given apiVersion.
func Fields(object map[string]any, apiVersion string, t typed.ParseableType) (*fieldpath.Set, error) {
	text := Text(object)
	if text == "" {
		return nil, errors.New("no last-applied annotation")
	}
	config, err := Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("last-applied annotation: %w", err)
	}
	if version, _ := document.TypeOf(config); version != apiVersion {
		return nil, fmt.Errorf("last-applied annotation: want version %s, got %s", apiVersion, version)
	}
	live, err := t.FromUnstructured(object)
	if err != nil {
		return nil, err
	}
	applied, err := t.FromUnstructured(config)
	if err != nil {
		return nil, fmt.Errorf("last-applied annotation: %w", err)
	}
	set, err := applied.ToFieldSet()
	if err != nil {
		return nil, err
	}
	changes, err := applied.Compare(live)
	if err != nil {
		return nil, err
	}
	return set.Difference(changes.Modified).Difference(changes.Added).Difference(changes.Removed), nil
}

// Sync returns a copy of object whose last-applied annotation contains config, so that users can
// return to client-side apply. If the annotations would become too large, Sync removes the
// last-applied annotation. If object does not have the annotation, Sync returns object itself. It
// modifies neither argument.
func Sync(object, config map[string]any) (map[string]any, error) {
	if Text(object) == "" {
		return object, nil
	}
	if _, ok := document.Metadata(config)["annotations"]; ok {
		var metadata map[string]any
		config, metadata = document.WithMetadata(config)
		if annotations, ok := stringAnnotations(config); ok {
			delete(annotations, LastAppliedAnnotation)
			metadata["annotations"] = annotations
		} else {
			delete(metadata, "annotations")
		}
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("last-applied annotation: %w", err)
	}

	object, metadata := document.WithMetadata(object)
	annotations, _ := stringAnnotations(object)
	annotations[LastAppliedAnnotation] = string(text) + "\n"
	size := 0
	for k, v := range annotations {
		size += len(k) + len(v.(string))
	}
	if size > maxAnnotations {
		delete(annotations, LastAppliedAnnotation)
	}
	metadata["annotations"] = annotations
	return object, nil
}

// stringAnnotations returns a copy of the annotations of an object, in which each null is replaced
// with "". ok is false if the object has no annotations, or if a value is neither a string nor
// null.
func stringAnnotations(object map[string]any) (annotations map[string]any, ok bool) {
	have, ok := document.Metadata(object)["annotations"].(map[string]any)
	if !ok || have == nil {
		return nil, false
	}
	annotations = make(map[string]any, len(have)+1)
	for k, v := range have {
		switch v.(type) {
		case nil:
			v = ""
		case string:
		default:
			return nil, false
		}
		annotations[k] = v
	}
	return annotations, true
}

// Text returns the value of the annotation of client-side apply. It returns "" if the object
// does not have the annotation, or if the value of any annotation is neither a string nor null.
func Text(object map[string]any) string {
	annotations, _ := document.Metadata(object)["annotations"].(map[string]any)
	text, _ := annotations[LastAppliedAnnotation].(string)
	if text == "" {
		return ""
	}
	if _, ok := stringAnnotations(object); !ok {
		return ""
	}
	return text
}

// Decode decodes text, which must be a single JSON object. Integers become int64 if they fit.
// Other numbers become float64.
func Decode(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	if object == nil {
		return nil, errors.New("want an object, got null")
	}
	if err := plainNumbers(object); err != nil {
		return nil, err
	}
	return object, nil
}

// plainNumbers replaces each json.Number in v with an int64 or float64. It changes maps and
// lists in place.
func plainNumbers(v any) error {
	number := func(v any) (any, error) {
		n, ok := v.(json.Number)
		if !ok {
			return v, plainNumbers(v)
		}
		if i, err := n.Int64(); err == nil {
			return i, nil
		}
		return n.Float64()
	}
	switch v := v.(type) {
	case map[string]any:
		// Sort the keys, so that the same text always causes the same error.
		for _, k := range slices.Sorted(maps.Keys(v)) {
			plain, err := number(v[k])
			if err != nil {
				return err
			}
			v[k] = plain
		}
	case []any:
		for i, item := range v {
			plain, err := number(item)
			if err != nil {
				return err
			}
			v[i] = plain
		}
	}
	return nil
}
