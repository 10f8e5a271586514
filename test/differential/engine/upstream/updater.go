// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"sort"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

type managers struct{ m fieldpath.ManagedFields }

func (m managers) Entries() []engine.Manager {
	out := make([]engine.Manager, 0, len(m.m))
	for name, vs := range m.m {
		out = append(out, engine.Manager{
			Name: name, Version: string(vs.APIVersion()), Applied: vs.Applied(), Set: set{vs.Set()},
		})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

func (m managers) With(e engine.Manager) engine.Managers {
	out := m.m.Copy()
	out[e.Name] = fieldpath.NewVersionedSet(e.Set.(set).s, fieldpath.APIVersion(e.Version), e.Applied)
	return managers{out}
}

func (m managers) Without(name string) engine.Managers {
	out := m.m.Copy()
	delete(out, name)
	return managers{out}
}

func (m managers) Equals(o engine.Managers) bool { return m.m.Equals(o.(managers).m) }

func (m managers) Difference(o engine.Managers) engine.Managers {
	return managers{m.m.Difference(o.(managers).m)}
}

func (m managers) Lines() []string { return strings.Split(m.m.String(), "\n") }

type converter struct{ c engine.Config }

func (c converter) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	out, err := c.c.Convert(wrap(object), string(version))
	if err != nil {
		return nil, err
	}
	return out.(typedValue).v, nil
}

func (c converter) IsMissingVersionError(err error) bool { return c.c.IsMissing(err) }

type updater struct{ u *merge.Updater }

func (impl) Updater(c engine.Config) engine.Updater {
	var ignored map[fieldpath.APIVersion]*fieldpath.Set
	if c.Ignored != nil {
		ignored = map[fieldpath.APIVersion]*fieldpath.Set{}
		for v, s := range c.Ignored {
			ignored[fieldpath.APIVersion(v)] = s.(set).s
		}
	}
	var filters map[fieldpath.APIVersion]fieldpath.Filter
	if c.Filters != nil {
		filters = map[fieldpath.APIVersion]fieldpath.Filter{}
		for v, f := range c.Filters {
			// Ignore an invalid filter. All adapters do this.
			if native, err := filter(f); err == nil {
				filters[fieldpath.APIVersion(v)] = native
			}
		}
	}
	if c.Literal {
		return updater{&merge.Updater{Converter: converter{c}, IgnoredFields: ignored, IgnoreFilter: filters}}
	}
	b := merge.UpdaterBuilder{
		Converter: converter{c}, IgnoredFields: ignored, IgnoreFilter: filters,
		ReturnInputOnNoop: c.ReturnInputOnNoop,
	}
	return updater{b.BuildUpdater()}
}

func (u updater) Apply(live, config engine.Typed, version string, m engine.Managers, manager string, force bool) (engine.Typed, engine.Managers, error) {
	tv, mf, err := u.u.Apply(live.(typedValue).v, config.(typedValue).v, fieldpath.APIVersion(version), m.(managers).m, manager, force)
	return wrap(tv), managers{mf}, err
}

func (u updater) Update(live, object engine.Typed, version string, m engine.Managers, manager string) (engine.Typed, engine.Managers, error) {
	tv, mf, err := u.u.Update(live.(typedValue).v, object.(typedValue).v, fieldpath.APIVersion(version), m.(managers).m, manager)
	return wrap(tv), managers{mf}, err
}
