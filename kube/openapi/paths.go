// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// paths are the paths of OpenAPI documents, each with the kinds of its
// operations.
type paths map[string][]gvk

// operation is an operation of a path, reduced to its kind. Anything else that
// a path can have is an operation without kind.
type operation struct{ gvk }

// UnmarshalJSON reads an operation. It accepts any JSON.
func (o *operation) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	var op struct {
		GVK struct {
			Group, Version, Kind any
		} `json:"x-kubernetes-group-version-kind"`
	}
	if json.Unmarshal(data, &op) != nil {
		return nil
	}
	*o = operation{makeGVK(op.GVK.Group, op.GVK.Version, op.GVK.Kind)}
	return nil
}

func makeGVK(group, version, kind any) gvk {
	g, _ := group.(string)
	v, _ := version.(string)
	k, _ := kind.(string)
	return gvk{g, v, k}
}

// add reads the paths of a document: raw JSON, or parsed.
func (p paths) add(doc string, v any) error {
	switch v := v.(type) {
	case nil:
	case json.RawMessage:
		var raw map[string]map[string]operation
		if err := json.Unmarshal(v, &raw); err != nil {
			// It is not as documents are: read as YAML is, it can be told why.
			var plain any
			if err := json.Unmarshal(v, &plain); err != nil {
				return &Error{Document: doc, Path: "paths", Message: "want a map of paths to operations"}
			}
			return p.add(doc, plain)
		}
		for path, ops := range raw {
			for _, op := range ops {
				p.operation(path, op.gvk)
			}
		}
	case map[string]any:
		for _, path := range sortedKeys(v) {
			ops, ok := v[path].(map[string]any)
			if !ok {
				return &Error{Document: doc, Path: (*place)(nil).at("paths").at(path).String(),
					Message: fmt.Sprintf("want a map of operations, found %s", shape(v[path]))}
			}
			for _, op := range ops {
				if m, ok := op.(map[string]any); ok {
					g, _ := m["x-kubernetes-group-version-kind"].(map[string]any)
					p.operation(path, makeGVK(g["group"], g["version"], g["kind"]))
				}
			}
		}
	default:
		return &Error{Document: doc, Path: "paths", Message: "want a map, found " + shape(v)}
	}
	return nil
}

func (p paths) operation(path string, g gvk) {
	if g.kind != "" && !slices.Contains(p[path], g) {
		p[path] = append(p[path], g)
	}
}

// resources returns what the paths say of each kind: plural, scope and
// subresources.
func (p paths) resources() map[gvk]Kind {
	kinds := map[gvk]Kind{}
	subs := map[[2]string]map[string]bool{} // group version and plural -> subresources
	for path := range p {
		version, r, ok := parsePath(path)
		if !ok || r.sub == "" {
			continue
		}
		key := [2]string{version, r.plural}
		if subs[key] == nil {
			subs[key] = map[string]bool{}
		}
		subs[key][r.sub] = true
	}
	for _, path := range slices.Sorted(maps.Keys(p)) {
		version, r, ok := parsePath(path)
		if !ok || r.sub != "" {
			continue
		}
		for _, g := range p[path] {
			k := kinds[g]
			k.Resource = r.plural
			k.Subresources = slices.Sorted(maps.Keys(subs[[2]string{version, r.plural}]))
			if r.namespaced {
				k.Scope = Namespaced
			} else if k.Scope == ScopeUnknown {
				k.Scope = ClusterWide
			}
			kinds[g] = k
		}
	}
	return kinds
}

// resourcePath is the part of a path after group and version.
type resourcePath struct {
	namespaced  bool
	plural, sub string
}

// parsePath takes /apis/GROUP/VERSION/namespaces/{namespace}/PLURAL/{name}/SUB
// apart, of which all between the version and PLURAL and all after it may be
// missing. It returns false for other paths.
func parsePath(path string) (version string, r resourcePath, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		version, parts = parts[1]+"/"+parts[2], parts[3:]
	default:
		return "", r, false
	}
	if len(parts) >= 3 && parts[0] == "namespaces" && parts[1] == "{namespace}" {
		r.namespaced, parts = true, parts[2:]
	}
	switch {
	case parts[0] == "watch" || strings.HasPrefix(parts[0], "{"):
		return "", r, false
	case len(parts) == 1 || len(parts) == 2 && parts[1] == "{name}":
		r.plural = parts[0]
	case len(parts) == 3 && parts[1] == "{name}":
		r.plural, r.sub = parts[0], parts[2]
	default:
		return "", r, false
	}
	return version, r, true
}
