// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"go/types"
	"strings"

	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// typeName returns the name of the definition of a type. The name comes from an OpenAPIModelName
// method, or else from a marker +k8s:openapi-model-package on the type or the package. Without a
// method and a marker, it consists of the package path and the Go name. For an instance of a
// generic type, typeName appends the names of the type arguments.
func typeName(src *markers.Source, t *types.Named) string {
	o := t.Obj()
	suffix := ""
	for i := range t.TypeArgs().Len() {
		suffix += "_" + argumentName(t.TypeArgs().At(i))
	}
	if name, ok := src.ModelName(o); ok {
		return name + suffix
	}
	in := src.Type(o)
	for _, all := range [][]markers.Marker{in.Markers, packageMarkers(in.Package)} {
		if m, ok := markers.Find(all, "k8s:openapi-model-package"); ok {
			return m.Value + "." + o.Name() + suffix
		}
	}
	return markers.PathName(o) + suffix
}

func packageMarkers(p *markers.Package) []markers.Marker {
	if p == nil {
		return nil
	}
	return p.Markers()
}

func argumentName(t types.Type) string {
	name := types.TypeString(t, func(*types.Package) string { return "" })
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, name)
}

// friendly returns the name under which a definition is published. It reverses the domain at the
// start of the package path, and replaces slashes with dots.
func friendly(name string) string {
	first, rest, ok := strings.Cut(name, "/")
	if !ok {
		return name
	}
	if parts := strings.Split(first, "."); len(parts) > 1 {
		for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
			parts[i], parts[j] = parts[j], parts[i]
		}
		first = strings.Join(parts, ".")
	}
	return first + "." + strings.ReplaceAll(rest, "/", ".")
}
