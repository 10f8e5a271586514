// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// GroupVersion is the group and version of the types of a package.
type GroupVersion struct{ Group, Version string }

// GroupVersionOf returns the group and version of the package that declares a type. They come
// from the markers +groupName and +versionName. If there is no +versionName, the version is the
// name of the package. If there is no +groupName, GroupVersionOf returns false.
func GroupVersionOf(src *markers.Source, o *types.TypeName) (GroupVersion, bool) {
	p, ok := src.Package(o.Pkg().Path())
	if !ok {
		return GroupVersion{}, false
	}
	return groupVersion(p)
}

func groupVersion(p *markers.Package) (GroupVersion, bool) {
	m, ok := markers.Find(p.Markers(), "groupName")
	if !ok {
		return GroupVersion{}, false
	}
	gv := GroupVersion{strings.Trim(m.Value, `"`), p.Name}
	if v, ok := markers.Find(p.Markers(), "versionName"); ok {
		gv.Version = v.Value
	}
	return gv, true
}

func (g GroupVersion) String() string {
	if g.Group == "" {
		return g.Version
	}
	return fmt.Sprintf("%s/%s", g.Group, g.Version)
}
