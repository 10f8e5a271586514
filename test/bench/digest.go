// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// digest returns a hash of a result. Two engines agree if the hashes of their results are
// equal.
func digest(r result) string {
	var b bytes.Buffer
	write(&b, r.first)
	write(&b, r.second)
	return fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))[:16]
}

func write(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case *fieldpath.Set:
		if v == nil {
			b.WriteString("no set\n")
			return
		}
		text, err := v.ToJSON()
		must(err)
		fmt.Fprintf(b, "set %s\n", text)
	case []*fieldpath.Set:
		for _, s := range v {
			write(b, s)
		}
	case *typed.TypedValue:
		if v == nil {
			b.WriteString("no object\n")
			return
		}
		encode(b, v.AsValue().Unstructured())
	case *typed.Comparison:
		write(b, v.Removed)
		write(b, v.Modified)
		write(b, v.Added)
	case fieldpath.ManagedFields:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fmt.Fprintf(b, "%s %s %v ", name, v[name].APIVersion(), v[name].Applied())
			write(b, v[name].Set())
		}
	case error:
		fmt.Fprintf(b, "error %v\n", v)
	case runtime.Object:
		o, err := runtime.DefaultUnstructuredConverter.ToUnstructured(v.DeepCopyObject())
		must(err)
		strip(o)
		encode(b, o)
		for _, e := range byManager(slices.Clone(v.(metav1.Object).GetManagedFields())) {
			fmt.Fprintf(b, "%s %s %s %s\n", e.Manager, e.Operation, e.APIVersion, e.FieldsV1.GetRawBytes())
		}
	default:
		encode(b, v)
	}
}

// encode writes an object without its managed fields, because these contain times.
func encode(b *bytes.Buffer, v any) {
	if o, ok := v.(object); ok {
		if meta, ok := o["metadata"].(object); ok && meta["managedFields"] != nil {
			o = maps.Clone(o)
			meta = maps.Clone(meta)
			delete(meta, "managedFields")
			o["metadata"] = meta
			v = o
		}
	}
	must(json.NewEncoder(b).Encode(v))
}
