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

// owners are the stored managed fields of an object.
type owners map[string]owned

// owned is the field set of one entry: the stored bytes, and the set that structured-merge-diff
// decodes.
type owned struct {
	bytes string
	set   *fieldpath.Set
}

// decode reads managed fields from the bytes of an object in etcd: JSON for custom resources,
// protobuf for others.
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

// difference describes the entries whose sets differ. It returns "" if none do.
func (o owners) difference(than owners) string {
	var out string
	for _, name := range o.allNames(than) {
		a, b := o[name].set, than[name].set
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

// changed counts the entries whose sets differ, and the entries whose sets are equal but
// encoded differently. Sets of the manager named by the argument but may differ.
func (o owners) changed(than owners, but string) (changed, reencoded int) {
	for _, name := range o.allNames(than) {
		a, b := o[name], than[name]
		switch {
		case a.set == nil || b.set == nil || !a.set.Equals(b.set):
			if manager, _, _ := strings.Cut(name, " "); manager != but {
				changed++
			}
		case a.bytes != b.bytes:
			reencoded++
		}
	}
	return changed, reencoded
}

// allNames returns the sorted names of all entries in o and other.
func (o owners) allNames(other owners) []string {
	names := maps.Clone(other)
	if names == nil {
		names = owners{}
	}
	maps.Copy(names, o)
	return slices.Sorted(maps.Keys(names))
}
