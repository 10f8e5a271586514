// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/dovetail-ssa/dovetail/kube/convert"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestConversions converts random objects between all versions of their kinds. The results
// must equal the results of Kubernetes.
func TestConversions(t *testing.T) {
	types, err := openapi.BuiltinRelease(Minor, openapi.Options{KnownUnions: true})
	if err != nil {
		t.Fatal(err)
	}
	each := *total / 120
	var tried, pairs int
	var refused []string
	for _, from := range Kinds() {
		for _, to := range Kinds() {
			if from.Kind != to.Kind || from == to || from.Group != to.Group && from.Kind != "Event" {
				continue
			}
			if _, ok := types.Type(from.GroupVersion().String(), from.Kind); !ok {
				continue
			}
			if _, ok := types.Type(to.GroupVersion().String(), to.Kind); !ok {
				continue
			}
			pairs++
			for i := range each {
				err := convertOnce(t, types, from, to, uint64(*first)<<32+uint64(i))
				if errors.Is(err, convert.ErrUnknown) {
					refused = append(refused, from.String()+" to "+to.Version)
					break
				}
				if err != nil {
					t.Errorf("%s to %s: %v", from, to.Version, err)
					break
				}
				tried++
			}
		}
	}
	t.Logf("%d pairs of versions, %d objects; %d pairs rejected: %q", pairs, tried, len(refused), refused)
	if pairs == len(refused) {
		t.Error("too little was tested")
	}
	if len(refused) > 0 {
		t.Errorf("all versions must be convertible, but these are not: %q", refused)
	}
}

// convertOnce converts one stored object and compares the result with the result of
// Kubernetes.
func convertOnce(t *testing.T, types *openapi.Catalog, from, to Kind, seed uint64) error {
	sent, err := json.Marshal(Random(from, seed))
	if err != nil {
		return err
	}
	// The live object comes from a server that has written it, read it and written it again. So
	// empty fields have their defaults.
	var internal runtime.Object
	var live map[string]any
	for data := sent; ; {
		if internal, err = from.internal(data); err != nil {
			return err
		}
		again, err := inMemory(t, internal, from)
		if err != nil {
			return err
		}
		if cmp.Equal(again, live) {
			break
		}
		live = again
		if data, err = json.Marshal(live); err != nil {
			return err
		}
	}
	want, err := inMemory(t, internal, to)
	if err != nil {
		return err
	}
	before := runtime.DeepCopyJSONValue(live)
	got, err := convert.Builtin(types, live, to.GroupVersion().String())
	if err != nil {
		return err
	}
	if diff := cmp.Diff(before, any(live)); diff != "" {
		t.Errorf("%s: the conversion modified its input: %s", from, diff)
	}
	data, err := json.Marshal(got)
	if err != nil {
		return err
	}
	back, err := to.Decode(data)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(want, plain.Of(back)); diff != "" {
		return errors.New("differs:\n" + diff + "\n" + string(sent))
	}
	return nil
}

// internal returns the object that a server has in memory after it decoded the request.
func (k Kind) internal(sent []byte) (runtime.Object, error) {
	object, err := k.Decode(sent)
	if err != nil {
		return nil, err
	}
	SetDefaults(object)
	return legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: k.Group, Version: runtime.APIVersionInternal})
}

// inMemory converts an object of the internal version to the version of k, and returns the
// result as plain data.
func inMemory(t *testing.T, internal runtime.Object, k Kind) (map[string]any, error) {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(internal.DeepCopyObject(), k.GroupVersion())
	if err != nil {
		return nil, err
	}
	versioned.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return plain.Of(versioned), nil
}
