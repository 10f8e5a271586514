// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutant

import "github.com/dovetail-ssa/dovetail/test/differential/engine"

func (m *mutation) Schema(text string, strict bool) (engine.Schema, error) {
	s, err := m.Engine.Schema(text, strict)
	if err != nil {
		return nil, err
	}
	return schema{s, m}, nil
}

func (m *mutation) Conflicts(err error) ([]engine.Conflict, bool) {
	list, ok := m.Engine.Conflicts(err)
	if ok && m.conflicts != nil {
		list = m.conflicts(list)
	}
	return list, ok
}

func (m *mutation) Updater(c engine.Config) engine.Updater {
	convert := c.Convert
	c.Convert = func(t engine.Typed, version string) (engine.Typed, error) {
		out, err := convert(m.wrap(t), version)
		return unwrap(out), err
	}
	return updater{m.Engine.Updater(c), m}
}

type schema struct {
	engine.Schema
	m *mutation
}

func (s schema) Typed(name, override string, in engine.Input, mode engine.Mode) (engine.Typed, error) {
	t, err := s.Schema.Typed(name, override, in, mode)
	return s.m.wrap(t), err
}

type typed struct {
	engine.Typed
	m *mutation
}

func (m *mutation) wrap(t engine.Typed) engine.Typed {
	if t == nil {
		return nil
	}
	return typed{t, m}
}

func unwrap(t engine.Typed) engine.Typed {
	if w, ok := t.(typed); ok {
		return w.Typed
	}
	return t
}

func (t typed) Object() (any, bool) {
	data, present := t.Typed.Object()
	if present && t.m.object != nil {
		data = t.m.object(data)
	}
	return data, present
}

func (t typed) Validate(allowDuplicates bool) error {
	return t.Typed.Validate(allowDuplicates && !t.m.refuseDuplicates)
}

func (t typed) Compare(o engine.Typed) (engine.Comparison, error) {
	return t.Typed.Compare(unwrap(o))
}

func (t typed) Merge(o engine.Typed) (engine.Typed, error) {
	out, err := t.Typed.Merge(unwrap(o))
	if err != nil {
		return nil, err
	}
	if t.m.merging != nil {
		data, _ := t.Typed.Object()
		t.m.merging(data)
	}
	if t.m.merged != nil {
		out = t.m.merged(out, unwrap(o))
	}
	return t.m.wrap(out), nil
}

func (t typed) Remove(s engine.Set) engine.Typed { return t.m.wrap(t.Typed.Remove(s)) }

func (t typed) Extract(s engine.Set, appendKeys bool) engine.Typed {
	return t.m.wrap(t.Typed.Extract(s, appendKeys && !t.m.ignoreAppend))
}

func (t typed) Empty() engine.Typed { return t.m.wrap(t.Typed.Empty()) }

type updater struct {
	engine.Updater
	m *mutation
}

func (u updater) Apply(live, config engine.Typed, version string, managers engine.Managers, manager string, force bool) (engine.Typed, engine.Managers, error) {
	out, next, err := u.Updater.Apply(unwrap(live), unwrap(config), version, managers, manager, force)
	if u.m.applied != nil && err == nil {
		out = u.m.applied(out, unwrap(live))
	}
	return u.m.wrap(out), next, err
}

func (u updater) Update(live, object engine.Typed, version string, managers engine.Managers, manager string) (engine.Typed, engine.Managers, error) {
	out, next, err := u.Updater.Update(unwrap(live), unwrap(object), version, managers, manager)
	return u.m.wrap(out), next, err
}
