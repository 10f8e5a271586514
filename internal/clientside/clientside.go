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

// Kubectl is the one manager for which the annotation of client-side apply is
// read and kept up to date.
const Kubectl = "kubectl"

// lastAppliedAnnotation holds what kubectl's client-side apply last applied.
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// Manager is the manager of kubectl's client-side apply.
const Manager = "kubectl-client-side-apply"

// Path is the annotation that client-side apply keeps.
var Path = fieldpath.MakePathOrDie("metadata", "annotations", lastAppliedAnnotation)

// IsEntry tells whether an entry is that of a client-side apply.
func IsEntry(e *managedfields.Entry) bool {
	return e.Operation == managedfields.OperationUpdate && e.Subresource == "" && (e.Manager == Manager || e.Set.Has(Path))
}

// maxAnnotations is how many bytes the annotations of an object may have.
const maxAnnotations = 256 << 10

// Fields are the fields in the annotation of object, which is of type t
// in apiVersion, that have the same value in the object.
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

// Sync writes config into the annotation of object, if object has
// one, so that client-side apply can be gone back to. Neither is modified.
func Sync(object, config map[string]any) (map[string]any, error) {
	if Text(object) == "" {
		return object, nil
	}
	if _, ok := document.Metadata(config)["annotations"]; ok {
		var metadata map[string]any
		config, metadata = document.WithMetadata(config)
		if annotations, ok := stringAnnotations(config); ok {
			delete(annotations, lastAppliedAnnotation)
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
	annotations[lastAppliedAnnotation] = string(text) + "\n"
	size := 0
	for k, v := range annotations {
		size += len(k) + len(v.(string))
	}
	if size > maxAnnotations {
		delete(annotations, lastAppliedAnnotation)
	}
	metadata["annotations"] = annotations
	return object, nil
}

// stringAnnotations copies the annotations of an object; null counts as "". ok
// is false when there are none, or something else is among them.
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

// Text is the text of the annotation, empty if there is none that is of use.
func Text(object map[string]any) string {
	annotations, _ := document.Metadata(object)["annotations"].(map[string]any)
	text, _ := annotations[lastAppliedAnnotation].(string)
	if text == "" {
		return ""
	}
	if _, ok := stringAnnotations(object); !ok {
		return ""
	}
	return text
}

// Decode reads one JSON object; whole numbers become int64.
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

// plainNumbers replaces json.Number below v, a map or a list, in place.
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
		// By name: the same text is to have the same error.
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
