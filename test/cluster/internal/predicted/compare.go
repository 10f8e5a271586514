// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// Difference is one field whose predicted value differs from the stored value.
type Difference struct {
	// Kind, Request and Path locate the field. In Path, [] stands for any item of a list.
	Kind, Request, Path string
	// Predicted and Stored are the two values, as JSON.
	Predicted, Stored string
	// unpruned is true if the stored object contained values that the server drops when it reads them.
	unpruned bool
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s: %s: predicted %.200s, stored %.200s", d.Kind, d.Request, d.Path, d.Predicted, d.Stored)
}

// compare returns the differences between two objects, except at the ignored paths.
func compare(predicted, stored object, ignored []fieldpath.Path) (all []Difference) {
	predicted, stored = comparable(predicted, ignored), comparable(stored, ignored)
	var walk func(path string, a, b any)
	walk = func(path string, a, b any) {
		switch x := a.(type) {
		case object:
			y, ok := b.(object)
			if !ok {
				break
			}
			names := maps.Clone(x)
			maps.Copy(names, y)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				walk(path+"."+name, x[name], y[name])
			}
			return
		case []any:
			y, ok := b.([]any)
			if !ok || len(x) != len(y) {
				break
			}
			for i := range x {
				walk(path+"[]", x[i], y[i])
			}
			return
		}
		if !reflect.DeepEqual(a, b) {
			all = append(all, Difference{Path: path, Predicted: plain.Text(a), Stored: plain.Text(b)})
		}
	}
	walk("", predicted, stored)
	return all
}

// comparable returns a copy of an object in a form that can be compared. The copy lacks the
// fields at the ignored paths. Its managed fields are a map, because their order does not matter.
// The times of the managed fields are missing, but the map still shows which entries had no time.
func comparable(o object, ignored []fieldpath.Path) object {
	o = runtime.DeepCopyJSON(o)
	for _, path := range ignored {
		remove(o, path)
	}
	entries, _ := metadata(o)["managedFields"].([]any)
	byName := object{}
	for _, e := range entries {
		e, _ := e.(object)
		name := strings.Join([]string{text(e["manager"]), text(e["operation"]), text(e["apiVersion"]), text(e["subresource"])}, " ")
		if e["time"] == nil {
			name += " without time"
		}
		byName[name] = e["fieldsV1"]
	}
	if len(entries) > 0 {
		metadata(o)["managedFields"] = byName
	}
	if len(metadata(o)) == 0 {
		delete(o, "metadata")
	}
	return o
}

// remove removes the value at a path from an object.
func remove(v any, path fieldpath.Path) {
	for i, e := range path {
		switch x := v.(type) {
		case object:
			if e.FieldName == nil {
				return
			}
			if i == len(path)-1 {
				delete(x, *e.FieldName)
				return
			}
			v = x[*e.FieldName]
		case []any:
			if e.Index == nil || *e.Index >= len(x) {
				return
			}
			v = x[*e.Index]
		default:
			return
		}
	}
}
