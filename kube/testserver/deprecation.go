// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
)

// deprecationOf returns the warning that a server of the release sends with each response for a
// built-in kind, or "" if the version of the kind is not deprecated.
func deprecationOf(kind schema.GroupVersionKind, release string) string {
	object, err := goTypes().New(kind)
	if err != nil {
		return "" // the version belongs to another release
	}
	number := strings.Split(strings.TrimPrefix(release, "v"), ".")
	if len(number) < 2 {
		return ""
	}
	major, minor, err := deprecation.MajorMinor(version.Info{Major: number[0], Minor: number[1]})
	if err != nil || !deprecation.IsDeprecated(object, major, minor) {
		return ""
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	return deprecation.WarningMessage(object)
}

// customDeprecation returns the warning that a server sends with each response for a version of a
// custom resource, or "" if the version is not deprecated. versions is the list of versions in the
// definition.
func customDeprecation(kind schema.GroupVersionKind, versions []any) string {
	var newer []string
	var own map[string]any
	for _, v := range versions {
		v, _ := v.(map[string]any)
		switch name := text(v["name"]); {
		case name == kind.Version:
			own = v
		case v["served"] == true && v["deprecated"] != true && version.CompareKubeAwareVersionStrings(kind.Version, name) < 0:
			newer = append(newer, name)
		}
	}
	if own["deprecated"] != true {
		return ""
	}
	if warning, ok := own["deprecationWarning"].(string); ok {
		return warning
	}
	warning := fmt.Sprintf("%s %s is deprecated", kind.GroupVersion(), kind.Kind)
	if len(newer) > 0 {
		best := slices.MaxFunc(newer, version.CompareKubeAwareVersionStrings)
		warning += fmt.Sprintf("; use %s/%s %s", kind.Group, best, kind.Kind)
	}
	return warning
}

// deprecation returns the warning that a server sends with each response for a target, or "" if there
// is none.
func (t *target) deprecation() string {
	if t.subresource == "scale" && t.resource.custom == nil {
		return "" // the kind of the request is Scale
	}
	return t.resource.deprecation
}
