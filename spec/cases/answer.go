// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/spec/model"
)

// Answerer uses the model to answer the cases of one group.
type Answerer struct{ m model.Model }

// Model returns an Answerer for the cases of the group. Its model uses the schemas of the group.
func (g Group) Model() (*Answerer, error) {
	m := model.Model{Types: map[string]*model.Type{}}
	if g.OpenAPI == nil {
		return &Answerer{m}, nil
	}
	var err error
	if m.Types["v1"], err = model.Read(g.OpenAPI); err != nil {
		return nil, err
	}
	for name, v := range g.Versions {
		if m.Types[name], err = model.Read(v.OpenAPI); err != nil {
			return nil, err
		}
	}
	m.Convert = func(v any, from, to string) (any, error) {
		if m.Types[to] == nil {
			return nil, model.ErrGone
		}
		return g.Convert(v, from, to)
	}
	return &Answerer{m}, nil
}

// Convert converts an object from one version of the group to another. The conversion fails if
// the object has a field that Version.Lacks lists for the target version. It also fails if the
// object is missing a field that Version.Needs lists.
func (g Group) Convert(v any, from, to string) (any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return v, nil
	}
	first := map[string]string{}
	for name, renamed := range g.Versions[from].Renames {
		first[renamed] = name
	}
	out := map[string]any{}
	for name, f := range object {
		name = cmp.Or(first[name], name)
		if slices.Contains(g.Versions[to].Lacks, name) {
			return nil, fmt.Errorf("%s has no field for %s", to, name)
		}
		out[cmp.Or(g.Versions[to].Renames[name], name)] = f
	}
	for _, name := range g.Versions[to].Needs {
		if _, ok := out[cmp.Or(g.Versions[to].Renames[name], name)]; !ok {
			return nil, fmt.Errorf("%s requires %s", to, name)
		}
	}
	return out, nil
}

// Answer returns the model's answer to a case.
func (a *Answerer) Answer(c Case) Want {
	if c.Op == "codec" {
		s, err := model.Decode(*c.Document)
		if err != nil {
			return Want{Error: err.Error()}
		}
		d := Document(model.EncodeAs(s, cmp.Or(c.Profile, model.V6)))
		return Want{Document: &d}
	}
	if c.Level == 3 {
		return a.managed(c)
	}
	before := model.Managers{}
	for _, o := range c.Owners {
		s, err := model.Decode(o.FieldsV1)
		if err != nil {
			return Want{Error: err.Error()}
		}
		before[o.Manager] = model.Entry{Version: cmp.Or(o.Version, "v1"), Applied: o.Applied, Set: s}
	}
	version := cmp.Or(c.Version, "v1")
	live, sent := Whole(c.Live), Whole(c.Object)
	if c.Op == "extract" {
		return Want{Object: model.Extract(live, before[c.Manager].Set.Leaves(), a.m.Types[version])}
	}
	if err := model.Refuse(sent, a.m.Types[version], c.Op == "update"); err != nil {
		return Want{Error: err.Error()}
	}
	if c.Op == "update" {
		object, owners, err := a.m.Update(live, sent, version, before, c.Manager)
		if err != nil {
			return Want{Error: err.Error()}
		}
		return Want{Object: object, Owners: encodeOwners(owners)}
	}
	object, owners, conflicts, err := a.m.Apply(live, sent, version, before, c.Manager, c.Force)
	if err != nil {
		return Want{Error: err.Error()}
	}
	if conflicts == nil {
		return Want{Object: object, Owners: encodeOwners(owners)}
	}
	return Want{Conflicts: pathsOf(conflicts)}
}

// managed answers a case of level 3, whose objects contain metadata.managedFields.
func (a *Answerer) managed(c Case) Want {
	m := a.m
	if c.Untracked != nil {
		var err error
		if m.Untracked, err = model.Decode(c.Untracked); err != nil {
			return Want{Error: err.Error()}
		}
	}
	now, err := time.Parse(time.RFC3339, c.Now)
	if err != nil {
		return Want{Error: err.Error()}
	}
	e := model.Endpoint{Model: &m, Version: cmp.Or(c.Version, "v1"), Subresource: c.Subresource}
	live, sent := model.Absent, Whole(c.Object)
	if c.Live != nil {
		live = Whole(c.Live)
	}
	var object any
	var conflicts []model.Conflict
	if c.Op == "update" {
		object, err = e.Update(live, sent, c.Manager, now)
	} else {
		object, conflicts, err = e.Apply(live, sent, c.Manager, c.Force, now)
	}
	if err != nil {
		return Want{Error: err.Error()}
	}
	return Want{Object: object, Conflicts: pathsOf(conflicts)}
}

func pathsOf(conflicts []model.Conflict) (all []Conflict) {
	for _, c := range conflicts {
		all = append(all, Conflict{c.Manager, c.Path.Elements()})
	}
	return all
}

func encodeOwners(owners model.Managers) []Owner {
	var all []Owner
	for _, name := range slices.Sorted(maps.Keys(owners)) {
		o := Owner{Manager: name, Applied: owners[name].Applied, FieldsV1: model.Encode(owners[name].Set)}
		if v := owners[name].Version; v != "v1" {
			o.Version = v
		}
		all = append(all, o)
	}
	return all
}

// Whole returns a copy of a value in which an int64 or a float64 replaces each json.Number, as
// when Kubernetes decodes it. For example, 1 becomes an int64, and 1.0 and 1e3 become float64. A
// number that does not fit in an int64 becomes a float64, too.
func Whole(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64() // f is an infinity if the number is out of range
		return f
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = Whole(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name := range v {
			out[name] = Whole(v[name])
		}
		return out
	}
	return v
}

// Wrong describes the first difference between the expected result w and an actual result. It
// returns "" if there is no difference.
func (w Want) Wrong(got Want) string {
	switch {
	case w.Error != "":
		if got.Error == "" {
			return "no error, want one: " + w.Error
		}
		return ""
	case got.Error != "":
		return "error: " + got.Error
	}
	if got, want := document(got.Document), document(w.Document); got != want {
		return fmt.Sprintf("document %s, want %s", got, want)
	}
	if got, want := formatConflicts(got.Conflicts), formatConflicts(w.Conflicts); !slices.Equal(got, want) {
		return fmt.Sprintf("conflicts %q, want %q", got, want)
	}
	if len(w.Conflicts) > 0 {
		return ""
	}
	if got, want := toPlainData(got.Object), toPlainData(w.Object); !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("object %s, want %s", text(got), text(want))
	}
	is, err := sets(got.Owners)
	if err != nil {
		return err.Error()
	}
	want, err := sets(w.Owners)
	if err != nil {
		return err.Error()
	}
	if !maps.Equal(is, want) {
		return fmt.Sprintf("owners %s, want %s", formatOwners(is), formatOwners(want))
	}
	return ""
}

func document(d *Document) string {
	if d == nil {
		return ""
	}
	return string(*d)
}

func formatConflicts(list []Conflict) []string {
	all := []string{}
	for _, c := range list {
		var b strings.Builder
		for _, e := range c.Path {
			b.WriteString(" " + string(e))
		}
		all = append(all, c.Manager+b.String())
	}
	slices.Sort(all)
	return all
}

// sets describes each manager's entry as text, so that two lists of owners can be compared. For
// example, "applied in v2 {…}" is the text of a manager that applied its fields in version v2,
// followed by these fields as FieldsV1. The text does not mention the version if it is v1.
func sets(list []Owner) (map[string]string, error) {
	all := map[string]string{}
	for _, o := range list {
		set, err := model.Decode(o.FieldsV1)
		if err != nil {
			return nil, fmt.Errorf("field set of %s: %w", o.Manager, err)
		}
		how := "updated "
		if o.Applied {
			how = "applied "
		}
		if o.Version != "" && o.Version != "v1" {
			how += "in " + o.Version + " "
		}
		all[o.Manager] = how + string(model.Encode(set))
	}
	return all, nil
}

func formatOwners(owners map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(owners)) {
		all = append(all, name+" "+owners[name])
	}
	return "[" + strings.Join(all, "; ") + "]"
}

// toPlainData converts a value to plain JSON data.
func toPlainData(v any) any {
	var out any
	if err := json.Unmarshal([]byte(text(v)), &out); err != nil {
		panic(err)
	}
	return out
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
