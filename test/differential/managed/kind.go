// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managed

import (
	"cmp"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
)

// first is the version of objects that do not name a version.
const first = "v1"

// kind describes the kind of a request's objects.
type kind struct{ versions map[string]cases.Version }

// typeName returns the name of a version's type in the schema, or "" if the version does not
// exist.
func (k kind) typeName(version string) string {
	if version == first {
		return "object"
	}
	return k.versions[version].Type
}

// convert converts an object to another version.
func (k kind) convert(object map[string]any, version string) (map[string]any, error) {
	from, _ := object["apiVersion"].(string)
	converted, err := cases.Group{Versions: k.versions}.Convert(object, from, version)
	if err != nil {
		return nil, err
	}
	out := converted.(map[string]any)
	out["apiVersion"] = version
	return out, nil
}

// objects returns the live object and the sent object of a request. The live object is nil if it
// does not exist yet.
func objects(c scopes.Request) (live, sent map[string]any) {
	live, _ = cases.Whole(c.Live).(map[string]any)
	sent, _ = cases.Whole(c.Object).(map[string]any)
	return live, sent
}

func endpoint(c scopes.Request) string { return cmp.Or(c.Version, first) }
