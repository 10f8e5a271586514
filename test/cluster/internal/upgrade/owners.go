// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// owners maps the identifier of each manager to its managedFields entry, as etcd contains it.
type owners map[string]owned

// owned is one entry: the bytes of its FieldsV1, and the set that structured-merge-diff
// decodes from them.
type owned struct {
	bytes string
	set   *fieldpath.Set
}

// decode returns the managed fields of an object in etcd. A custom resource is stored as JSON,
// and any other object as protobuf.
func decode(stored []byte) (owners, error) {
	var entries []metav1.ManagedFieldsEntry
	if bytes.HasPrefix(stored, []byte("k8s\x00")) {
		object, _, err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Decode(stored, nil, nil)
		if err != nil {
			return nil, err
		}
		m, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		entries = m.GetManagedFields()
	} else {
		var object metav1.PartialObjectMetadata
		if err := json.Unmarshal(stored, &object); err != nil {
			return nil, err
		}
		entries = object.ManagedFields
	}
	out := owners{}
	for _, e := range entries {
		name := fmt.Sprintf("%s %s %s", e.Manager, e.Operation, e.APIVersion)
		if e.Subresource != "" {
			name += " /" + e.Subresource
		}
		if _, double := out[name]; double || e.FieldsV1 == nil {
			return nil, fmt.Errorf("the entry %s is empty, or occurs twice", name)
		}
		set := &fieldpath.Set{}
		if err := set.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
			return nil, fmt.Errorf("the entry %s: %w", name, err)
		}
		out[name] = owned{bytes: e.FieldsV1.GetRawString(), set: set}
	}
	return out, nil
}

// difference describes the entries whose sets differ. It returns "" if all sets are equal.
func (o owners) difference(before owners) string {
	var out string
	for _, name := range o.allNames(before) {
		a, b := o[name].set, before[name].set
		switch {
		case a == nil:
			out += fmt.Sprintf("  %s: gone, had %s\n", name, b)
			continue
		case b == nil:
			out += fmt.Sprintf("  %s: new, has %s\n", name, a)
			continue
		}
		if !a.Equals(b) {
			out += fmt.Sprintf("  %s: more %s, less %s\n", name, a.Difference(b), b.Difference(a))
		}
	}
	return out
}

// changed compares the entries with earlier ones. It returns how many entries have a different
// field set, and how many have the same field set with different bytes. The first number does not
// include the entries of the ignored manager.
func (o owners) changed(before owners, ignored string) (changed, reencoded int) {
	for _, name := range o.allNames(before) {
		a, b := o[name], before[name]
		switch {
		case a.set == nil || b.set == nil || !a.set.Equals(b.set):
			if manager, _, _ := strings.Cut(name, " "); manager != ignored {
				changed++
			}
		case a.bytes != b.bytes:
			reencoded++
		}
	}
	return changed, reencoded
}

// allNames returns the sorted names of the entries in both maps.
func (o owners) allNames(other owners) []string {
	names := maps.Clone(other)
	if names == nil {
		names = owners{}
	}
	maps.Copy(names, o)
	return slices.Sorted(maps.Keys(names))
}
