// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/typed"
)

// SharedName is a port name that is already used by an earlier port in the same list.
type SharedName struct {
	// Path is the path of the name in the later port.
	Path, Message string
}

// NeedsUniquePortNames reports whether API servers reject objects of type t in which two ports of
// a list have the same name. It is true for built-in kinds.
func NeedsUniquePortNames(t typed.ParseableType) bool {
	name := t.TypeRef.NamedType
	return name != nil && openapi.IsKubernetes(*name)
}

// PortNames finds ports whose name is also the name of an earlier port in the same list. API
// servers reject such a list in a built-in kind. It can result from an apply that changes the
// number of a port, because another manager may own, and therefore keep, the port with the old
// number.
func PortNames(b *ownership.BlameResult) (found []SharedName) {
	type port struct {
		path string
		name *ownership.Place
	}
	type listed struct{ list, name string }
	first := map[listed]port{}
	for path, p := range b.All() {
		n := len(path)
		if n < 3 || path[n-1].FieldName == nil || *path[n-1].FieldName != "name" || path[n-2].Key == nil || path[n-3].FieldName == nil || *path[n-3].FieldName != "ports" {
			continue
		}
		name, ok := p.Value.(string)
		if !ok || name == "" {
			continue
		}
		at := listed{path[:n-2].String(), name}
		other, there := first[at]
		if !there {
			first[at] = port{path[:n-1].String(), p}
			continue
		}
		if other.path == path[:n-1].String() {
			continue // two items with the same keys: this is another finding
		}
		found = append(found, SharedName{path.String(), fmt.Sprintf(
			"%s is also the name of %s, which %s; the API server rejects two ports with the same name, so rename or remove one of them",
			words.Flow(name), other.path, ownedBy(b, other.name))})
	}
	return found
}

// ownedBy returns a phrase for a message about a field, such as "is owned by web", or "no manager
// owns" if the field has no owner.
func ownedBy(b *ownership.BlameResult, p *ownership.Place) string {
	var entries []managedfields.Entry
	for _, i := range p.Owners {
		entries = append(entries, b.Entries[i])
	}
	if len(entries) == 0 {
		return "no manager owns"
	}
	return "is owned by " + words.Owners(entries)
}

// SharePortNames reports whether v contains a list called "ports" in which two items have the
// same name. It is cheaper than PortNames, which needs the owners of all fields.
func SharePortNames(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, c := range v {
			if ports, ok := c.([]any); ok && name == "ports" && sameName(ports) || SharePortNames(c) {
				return true
			}
		}
	case []any:
		for _, c := range v {
			if SharePortNames(c) {
				return true
			}
		}
	}
	return false
}

func sameName(ports []any) bool {
	names := map[string]bool{}
	for _, p := range ports {
		port, _ := p.(map[string]any)
		name := unstructured.Text(port, "name")
		if name != "" && names[name] {
			return true
		}
		names[name] = true
	}
	return false
}

// notePortNames warns about ports that share a name in the result of a request.
func (o *Outcome) notePortNames(t *sources.Types) {
	if o.Result == nil || !NeedsUniquePortNames(o.Type) || !SharePortNames(o.Result.Object) {
		return
	}
	b, err := ownership.Blame(t.FieldManager(nil), o.Result.Object)
	if err != nil {
		return // the request itself reports invalid managed fields
	}
	for _, s := range PortNames(b) {
		// Two ports with one name often result from a port in the config that lacks one of its
		// keys. If so, another warning already reports the missing key.
		item := strings.TrimSuffix(s.Path, ".name")
		if !slices.ContainsFunc(o.Warnings, func(w warning) bool { return w.Path == item }) {
			o.warnOfResult(warning{o.Object.Position(s.Path), s.Path, s.Message})
		}
	}
}
