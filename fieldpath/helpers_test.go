// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/value"
)

// p returns a path. A string such as "a.b" stands for several fields.
func p(parts ...any) Path {
	var out []any
	for _, part := range parts {
		if s, ok := part.(string); ok {
			for _, name := range strings.Split(s, ".") {
				out = append(out, name)
			}
			continue
		}
		out = append(out, part)
	}
	return MakePathOrDie(out...)
}

func k(nameValues ...any) *value.FieldList { return KeyByFields(nameValues...) }

func v(x any) value.Value { return value.NewValueInterface(x) }

// fields returns the set of dotted paths.
func fields(paths ...string) *Set {
	s := &Set{}
	for _, path := range paths {
		s.Insert(p(path))
	}
	return s
}

func fromJSON(t testing.TB, text string) *Set {
	t.Helper()
	s := &Set{}
	if err := s.FromJSON(strings.NewReader(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func toJSON(t testing.TB, s *Set) string {
	t.Helper()
	b, err := s.ToJSON()
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return string(b)
}

// randomElements returns a few elements of each kind, so that random sets have common paths.
func randomElements(r *rand.Rand) []PathElement {
	scalars := []any{"a", "b<", "", int64(1), 1.0, 2.5, true, nil, "é\u2028"}
	scalar := func() any { return scalars[r.Intn(len(scalars))] }
	out := make([]PathElement, 3+r.Intn(10))
	for i := range out {
		switch r.Intn(8) {
		default:
			out[i] = FieldNameElement(string(rune('a' + r.Intn(8))))
		case 0:
			out[i] = KeyElementByFields("name", scalar())
		case 1:
			out[i] = KeyElementByFields("port", scalar(), "name", scalar())
		case 2:
			out[i] = ValueElement(v(scalar()))
		case 3:
			out[i] = IndexElement(r.Intn(12))
		}
	}
	return out
}

func randomPaths(r *rand.Rand, from []PathElement) []Path {
	n := r.Intn(10)
	if r.Intn(4) == 0 {
		n = r.Intn(100)
	}
	out := make([]Path, n)
	for i := range out {
		for range 1 + r.Intn(5) {
			out[i] = append(out[i], from[r.Intn(len(from))])
		}
	}
	return out
}

// related returns some of the given paths, and some new ones.
func related(r *rand.Rand, paths []Path, from []PathElement) []Path {
	var out []Path
	for _, path := range paths {
		if r.Intn(3) > 0 {
			out = append(out, path)
		}
	}
	return append(out, randomPaths(r, from)...)
}

// model is a set implemented as a simple list of paths. Tests compare the fast operations
// with it.
type model []Path

func modelOf(paths []Path) (m model) {
	for _, path := range paths {
		if len(path) > 0 && !m.has(path) {
			m = append(m, path)
		}
	}
	return m
}

func (m model) has(path Path) bool {
	for _, q := range m {
		if q.Equals(path) {
			return true
		}
	}
	return false
}

func (m model) where(keep func(Path) bool) (out model) {
	for _, path := range m {
		if keep(path) {
			out = append(out, path)
		}
	}
	return out
}

func (m model) set() *Set {
	s := &Set{}
	for _, path := range m {
		s.Insert(path)
	}
	return s
}

// checkSet fails unless the set is sorted, has nil instead of empty slices, and contains
// exactly the paths of the model.
func checkSet(t *testing.T, what string, got *Set, want model) {
	t.Helper()
	checkShape(t, what, got)
	if !got.Equals(want.set()) {
		t.Fatalf("%s:\ngot\n%s\nwant\n%s", what, got, want.set())
	}
	if got.Size() != len(want) || got.Empty() != (len(want) == 0) {
		t.Fatalf("%s: size %d, empty %v, want %d paths", what, got.Size(), got.Empty(), len(want))
	}
}

func checkShape(t *testing.T, what string, s *Set) {
	t.Helper()
	members, nodes := s.Members.members, s.Children.members
	if members != nil && len(members) == 0 || nodes != nil && len(nodes) == 0 {
		t.Fatalf("%s: empty but not nil in %#v", what, s)
	}
	for i := 1; i < len(members); i++ {
		if !members[i-1].Less(members[i]) {
			t.Fatalf("%s: members %v and %v are out of order", what, members[i-1], members[i])
		}
	}
	for i := range nodes {
		if i > 0 && !nodes[i-1].PathElement.Less(nodes[i].PathElement) {
			t.Fatalf("%s: children %v and %v are out of order", what, nodes[i-1].PathElement, nodes[i].PathElement)
		}
		checkShape(t, what, nodes[i].Set)
	}
}

// pod returns the field set that a manager has after it applied an ordinary Pod.
func pod(containers int) *Set {
	s := fields("metadata.labels.app", "metadata.labels.tier", "spec.dnsPolicy",
		"spec.restartPolicy", "spec.nodeSelector.disk", "spec.serviceAccountName")
	for i := range containers {
		c := append(p("spec.containers"), KeyElementByFields("name", "c"+string(rune('a'+i))))
		add := func(parts ...any) { s.Insert(append(c.Copy(), p(parts...)...)) }
		s.Insert(c)
		for _, name := range []string{"name", "image", "args", "imagePullPolicy", "resources.limits.cpu",
			"resources.limits.memory", "resources.requests.cpu", "livenessProbe.httpGet.path",
			"livenessProbe.httpGet.port", "livenessProbe.periodSeconds"} {
			add(name)
		}
		for j := range 8 {
			env := k("name", "VARIABLE_"+string(rune('A'+j)))
			add("env", env)
			add("env", env, "name")
			add("env", env, "value")
		}
		for _, port := range []float64{8080, 9090} {
			add("ports", k("containerPort", port, "protocol", "TCP"))
			add("ports", k("containerPort", port, "protocol", "TCP"), "containerPort")
			add("ports", k("containerPort", port, "protocol", "TCP"), "protocol")
		}
	}
	return s
}

func reader(b []byte) *bytes.Reader { return bytes.NewReader(b) }
