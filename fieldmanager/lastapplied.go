// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

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
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// kubectl is the one manager for which the annotation of client-side apply is
// read and kept up to date.
const kubectl = "kubectl"

// LastAppliedAnnotation holds what kubectl's client-side apply last applied.
const LastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// maxAnnotations is how many bytes the annotations of an object may have.
const maxAnnotations = 256 << 10

// notLastApplied leaves out the conflicts over fields that client-side apply
// last set to what they are now: those are kubectl's own. ok is false when there is no
// usable annotation.
func (r *request) notLastApplied(conflicts merge.Conflicts) (left merge.Conflicts, ok bool) {
	own, err := lastAppliedSet(r.live, r.apiVersion, r.liveType)
	if err != nil {
		return nil, false
	}
	for _, c := range conflicts {
		if !own.Has(c.Path) {
			left = append(left, c)
		}
	}
	return left, true
}

// lastAppliedSet are the fields in the annotation of object, which is of type t
// in apiVersion, that have the same value in the object.
func lastAppliedSet(object map[string]any, apiVersion string, t typed.ParseableType) (*fieldpath.Set, error) {
	text := lastApplied(object)
	if text == "" {
		return nil, errors.New("no last-applied annotation")
	}
	config, err := decodeJSON([]byte(text))
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

// syncLastApplied writes config into the annotation of object, if object has
// one, so that client-side apply can be gone back to. Neither is modified.
func syncLastApplied(object, config map[string]any) (map[string]any, error) {
	if lastApplied(object) == "" {
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

func lastApplied(object map[string]any) string {
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

// decodeJSON reads one JSON object; whole numbers become int64.
func decodeJSON(text []byte) (map[string]any, error) {
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
