// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managed

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Ours answers a request with Dovetail's package fieldmanager.
func Ours(c scopes.Request) (cases.Want, error) {
	var want cases.Want
	now, err := time.Parse(time.RFC3339, c.Now)
	if err != nil {
		return want, err
	}
	parser, err := typed.NewParser(typed.YAMLObject(c.Schema))
	if err != nil {
		return want, err
	}
	k := kind{c.Versions}
	o := fieldmanager.Options{
		APIVersion:  endpoint(c),
		Kind:        "K",
		Subresource: c.Subresource,
		Clock:       func() time.Time { return now },
		Types: func(apiVersion, kind string) (typed.ParseableType, error) {
			name := k.typeName(apiVersion)
			if name == "" {
				return typed.ParseableType{}, fmt.Errorf("%s: %w", apiVersion, fieldmanager.ErrUnknownType)
			}
			return parser.Type(name), nil
		},
		Converter: func(object map[string]any, apiVersion string) (map[string]any, error) {
			return k.convert(object, apiVersion)
		},
	}
	if c.Untracked != nil {
		untracked := fieldpath.NewSet()
		if err := untracked.FromJSON(bytes.NewReader(c.Untracked)); err != nil {
			return want, err
		}
		o.IgnoreFilter = map[fieldpath.APIVersion]fieldpath.Filter{first: fieldpath.NewExcludeSetFilter(untracked)}
		for name := range c.Versions {
			o.IgnoreFilter[fieldpath.APIVersion(name)] = fieldpath.NewExcludeSetFilter(untracked)
		}
	}
	fm, err := fieldmanager.New(o)
	if err != nil {
		return want, err
	}
	live, sent := objects(c)
	var result *fieldmanager.Result
	if c.Op == "update" {
		result, err = fm.Update(live, sent, c.Manager)
	} else {
		result, err = fm.Apply(live, sent, c.Manager, c.Force)
	}
	var conflict *fieldmanager.ConflictError
	if errors.As(err, &conflict) {
		for _, c := range conflict.Conflicts {
			told := cases.Conflict{Manager: c.Manager}
			for _, pe := range c.Path {
				text, err := fieldpath.SerializePathElement(pe)
				if err != nil {
					return want, err
				}
				told.Path = append(told.Path, model.Element(text))
			}
			want.Conflicts = append(want.Conflicts, told)
		}
		return want, nil
	}
	if err == nil {
		want.Object = result.Object
	}
	return want, err
}
