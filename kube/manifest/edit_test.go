// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// added is a list item whose fields are not in alphabetical order.
type added struct {
	Z string `yaml:"z"`
	A string `yaml:"a,omitempty"`
}

// edit adds an item to spec.l in objects of kind A, and removes the items with b: 1.
func edit(o *manifest.Object) ([]manifest.Change, error) {
	if o.Identity().Kind != "A" {
		return nil, nil
	}
	return []manifest.Change{{
		Steps: []any{"spec"}, Field: "l",
		Drop: func(item any) bool { m, _ := item.(map[string]any); return m["b"] == int64(1) },
		Add:  []any{added{"!x || {y: 'z'} // z", "y"}},
	}}, nil
}

const item = "  - z: '!x || {y: ''z''} // z'\n    a: \"y\"\n"

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func TestEdit(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no change keeps every byte", "kind:   B\n\napiVersion: v1 # x\n", "kind:   B\n\napiVersion: v1 # x\n"},
		{"comments, order and spelling", "# top\n\nkind: A # tail\n# above\napiVersion: v1\nspec:\n  x: {b: 1, \"y\": no} # flow\n  l:\n  - b: 2 # two\n  # one\n  - {b: 1}\n  d: |\n    text\n     more\n",
			"# top\n\nkind: A # tail\n# above\napiVersion: v1\nspec:\n  x: {b: 1, \"y\": no} # flow\n  l:\n  - b: 2 # two\n  # one\n" + item + "  d: |\n    text\n     more\n"},
		{"a new list", "{kind: A, apiVersion: v1, spec: {}}", "{kind: A, apiVersion: v1, spec: {l: [{z: '!x || {y: ''z''} // z', a: \"y\"}]}}\n"},
		{"null", "kind: A\napiVersion: v1\nspec:\n  l: null\n", "kind: A\napiVersion: v1\nspec:\n  l:\n" + item},
		{"wider indentation", "kind: A\napiVersion: v1\nspec:\n    l:\n      - b: 2\n", "kind: A\napiVersion: v1\nspec:\n    l:\n      - b: 2\n      - z: '!x || {y: ''z''} // z'\n        a: \"y\"\n"},
		{"blank and folded lines", "kind: A\napiVersion: v1\n\nspec:\n  t: folded\n    text\n\n  l:\n\n  - b: 2\n\n  # next\n  m: |+\n    # text\n\n", "kind: A\napiVersion: v1\n\nspec:\n  t: folded\n    text\n\n  l:\n\n  - b: 2\n" + item + "\n  # next\n  m: |+\n    # text\n\n"},
		{"after a literal", "spec:\n  m: |\n    # text\n\n    more\n\n# kind\nkind: A\napiVersion: v1\n", "spec:\n  m: |\n    # text\n\n    more\n  l:\n" + item + "\n# kind\nkind: A\napiVersion: v1\n"},
		{"after a literal with its blank lines", "kind: A\napiVersion: v1\nspec:\n  m: |+\n    text\n\n", "kind: A\napiVersion: v1\nspec:\n  m: |+\n    text\n\n  l:\n" + item},
		{"dashes on their own lines", "kind: A\napiVersion: v1\nspec:\n  l:\n  -\n    b: 1\n  -\n    b: 2\n", "kind: A\napiVersion: v1\nspec:\n  l:\n  -\n    b: 2\n" + item},
		{"no end of line", "kind: A\napiVersion: v1\nspec:\n  x: 1", "kind: A\napiVersion: v1\nspec:\n  x: 1\n  l:\n" + item},
		{"all of a list", "kind: A\napiVersion: v1\nspec:\n  l:\n  - b: 1\n  - b: 1 # again\nx: 1\n", "kind: A\napiVersion: v1\nspec:\n  l:\n" + item + "x: 1\n"},
		{"KYAML", "---\n{\n  # kind\n  kind: \"A\", # tail\n  apiVersion: \"v1\",\n  spec: {\n    # list\n    l: [{\n      b: 2, # two\n      \"no\": \"x\",\n    }, {b: 1}],\n    e: {},\n  },\n}\n",
			"---\n{\n  # kind\n  kind: \"A\", # tail\n  apiVersion: \"v1\",\n  spec: {\n    # list\n    l: [{\n      b: 2, # two\n      \"no\": \"x\",\n    }, {\n      z: \"!x || {y: 'z'} // z\",\n      a: \"y\",\n    }],\n    e: {},\n  },\n}\n"},
		{"KYAML that its encoder would change", "---\n{\n  kind: A,\n  apiVersion: v1,\n  spec: {},\n  t: \"a\\n\\u2003b\",\n}\n",
			"---\n{kind: A, apiVersion: v1, spec: {l: [{z: '!x || {y: ''z''} // z', a: \"y\"}]}, t: \"a\\n\u2003b\"}\n"},
		{"documents", "kind: B\napiVersion: v1\n---\nkind: A\napiVersion: v1\nspec: {x: 1}\n---\n# end\nkind:  B\napiVersion: v1",
			"kind: B\napiVersion: v1\n---\nkind: A\napiVersion: v1\nspec: {x: 1, l: [{z: '!x || {y: ''z''} // z', a: \"y\"}]}\n---\n# end\nkind:  B\napiVersion: v1\n"},
		{"a List", "kind: List\napiVersion: v1\nitems:\n- kind: A\n  apiVersion: v1\n  spec:\n    x: 1\n",
			"kind: List\napiVersion: v1\nitems:\n- kind: A\n  apiVersion: v1\n  spec:\n    x: 1\n    l:\n    - z: '!x || {y: ''z''} // z'\n      a: \"y\"\n"},
		{"aliases", "kind: A\napiVersion: v1\nx: &s {b: 1}\nspec: *s\n", "kind: A\napiVersion: v1\nx: {b: 1}\nspec: {b: 1, l: [{z: '!x || {y: ''z''} // z', a: \"y\"}]}\n"},
		{"aliases in other values", "kind: A\napiVersion: v1\nx:\n   y: &y {b: 1} # y\n\nz:   *y\nspec:\n  m: 1\n", "kind: A\napiVersion: v1\nx:\n   y: &y {b: 1} # y\n\nz:   *y\nspec:\n  m: 1\n  l:\n" + item},
		{"an anchor and a tag", "kind: A\napiVersion: v1\nspec: &s\n  l: !!seq\n  - b: 2\n", "kind: A\napiVersion: v1\nspec: &s\n  l: !!seq\n  - b: 2\n" + item},
		{"an alias of the changed value", "kind: A\napiVersion: v1\nspec: &s\n  m:   1\nother: *s\n", "kind: A\napiVersion: v1\nspec:\n  m: 1\n  l:\n" + item + "other:\n  m: 1\n"},
		{"an alias as the changed value", "kind: A\napiVersion: v1\nother: &s\n  m:   1\nspec: *s\n", "kind: A\napiVersion: v1\nother:\n  m: 1\nspec:\n  m: 1\n  l:\n" + item},
		{"CRLF", "kind: A\r\napiVersion: v1\r\nspec:\r\n  m: 1\r\n# end\r\n", crlf("kind: A\napiVersion: v1\nspec:\n  m: 1\n  l:\n" + item + "# end\n")},
		{"CRLF without an end of line", "kind: A\r\napiVersion: v1\r\nspec:\r\n  m: 1", crlf("kind: A\napiVersion: v1\nspec:\n  m: 1\n  l:\n" + item)},
		{"CRLF in a rewritten document", crlf("# a\nkind: A # b\napiVersion: v1\nspec: {m: 1}\nt: |\n  x\n  y\n---\nkind:  B\napiVersion: v1\n"),
			crlf("# a\nkind: A # b\napiVersion: v1\nspec: {m: 1, l: [{z: '!x || {y: ''z''} // z', a: \"y\"}]}\nt: |\n  x\n  y\n---\nkind:  B\napiVersion: v1\n")},
		{"CRLF in KYAML", crlf("---\n{\n  kind: \"A\",\n  apiVersion: \"v1\",\n  spec: {},\n}\n"),
			crlf("---\n{\n  kind: \"A\",\n  apiVersion: \"v1\",\n  spec: {\n    l: [{\n      z: \"!x || {y: 'z'} // z\",\n      a: \"y\",\n    }],\n  },\n}\n")},
		{"the end of a document", "kind: A\napiVersion: v1\nspec:\n  m: 1\n... # end\n# next\n---\nkind: B\napiVersion: v1\n...\n", "kind: A\napiVersion: v1\nspec:\n  m: 1\n  l:\n" + item + "... # end\n# next\n---\nkind: B\napiVersion: v1\n...\n"},
		{"JSON", `{"kind": "A", "apiVersion": "v1", "spec": {"l": [{"b": 1}], "on": "no", "n": 1.0, "e": {}}}`,
			"kind: A\napiVersion: v1\nspec:\n  l:\n" + item + "  \"on\": \"no\"\n  \"n\": 1.0\n  e: {}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := manifest.Edit("f.yaml", []byte(c.in), edit)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			again, err := manifest.Edit("f.yaml", got, func(o *manifest.Object) ([]manifest.Change, error) {
				changes, err := edit(o)
				for i := range changes {
					changes[i].Drop = func(item any) bool { m, _ := item.(map[string]any); return m["z"] != nil }
				}
				return changes, err
			})
			if err != nil || string(again) != string(got) {
				t.Errorf("again: %v\n%s", err, again)
			}
		})
	}
}

// A list that becomes empty must be removed.
func TestEditEmpties(t *testing.T) {
	got, err := manifest.Edit("f.yaml", []byte("kind: A\napiVersion: v1\nspec:\n  l:\n  - b: 1\n  m: 1\n"), func(o *manifest.Object) ([]manifest.Change, error) {
		changes, err := edit(o)
		changes[0].Add = nil
		return changes, err
	})
	if want := "kind: A\napiVersion: v1\nspec:\n  m: 1\n"; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// Fields can be removed without changing a list.
func TestEditRemoves(t *testing.T) {
	got, err := manifest.Edit("f.yaml", []byte("kind: A\napiVersion: v1\nspec:\n  a: {b: 1} # a\n  # m\n  m: 1\n  z: 2\n"), func(*manifest.Object) ([]manifest.Change, error) {
		return []manifest.Change{{Steps: []any{"spec"}, Remove: []string{"a", "none", "z"}}}, nil
	})
	if want := "kind: A\napiVersion: v1\nspec:\n  # m\n  m: 1\n"; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// A field can be added to a mapping, whether or not the mapping has lines of its own.
func TestEditSets(t *testing.T) {
	set := func(*manifest.Object) ([]manifest.Change, error) {
		return []manifest.Change{
			{Steps: []any{"spec", "a"}, Set: "default", Value: "yes"},
			{Steps: []any{"spec", "b"}, Set: "default", Value: map[string]any{}},
		}, nil
	}
	for _, c := range []struct{ in, want, again string }{
		{"kind: A\napiVersion: v1\nspec:\n  a:\n    # x\n    t: 1 # y\n\n  # b\n  b:\n    t: {}\nx: 1\n",
			"kind: A\napiVersion: v1\nspec:\n  a:\n    # x\n    t: 1 # y\n    default: \"yes\"\n\n  # b\n  b:\n    t: {}\n    default: {}\nx: 1\n", "f.yaml:6: the field default exists already"},
		{"kind: A\napiVersion: v1\nspec: {a: {t: 1}, b: {}} # c\n", "kind: A\napiVersion: v1\nspec: {a: {t: 1, default: \"yes\"}, b: {default: {}}} # c\n", "f.yaml:3: the field default exists already"},
	} {
		got, err := manifest.Edit("f.yaml", []byte(c.in), set)
		if err != nil || string(got) != c.want {
			t.Errorf("got %s, %v\nwant %s", got, err, c.want)
		}
		if got, err := manifest.Edit("f.yaml", got, set); err == nil || err.Error() != c.again {
			t.Errorf("again: %s, %v", got, err)
		}
	}
}

// Replace replaces a scalar. If the mapping has lines of its own, the rest of the line stays.
func TestEditReplaces(t *testing.T) {
	set := func(value any) func(*manifest.Object) ([]manifest.Change, error) {
		return func(*manifest.Object) ([]manifest.Change, error) {
			return []manifest.Change{
				{Steps: []any{"spec", "a"}, Set: "default", Value: value, Replace: true},
				{Steps: []any{"spec", "b"}, Set: "default", Value: value, Replace: true},
			}, nil
		}
	}
	const head = "kind: A\napiVersion: v1\n"
	for _, c := range []struct {
		in    string
		value any
		want  string
	}{
		{"spec:\n  a:\n    default:  \"1\"   # one\n    t: 1\n\n  b:\n    t: 1\n", int64(1), "spec:\n  a:\n    default:  1   # one\n    t: 1\n\n  b:\n    t: 1\n    default: 1\n"},
		{"spec:\n  a:\n    t: 1\n    default: '1'\n  b:\n    default: 1.10\n", "1.10", "spec:\n  a:\n    t: 1\n    default: \"1.10\"\n  b:\n    default: \"1.10\"\n"},
		{"spec:\n  a: {default: \"1\", t: 1} # one\n  b: {default: 2}\n", true, "spec:\n  a: {default: true, t: 1} # one\n  b: {default: true}\n"},
		{"spec:\n  a:\n    default: \"\\x31\" # one\n  b:\n    default: !!str 1\n", int64(1), "spec:\n  a:\n    default: 1 # one\n  b:\n    default: 1\n"},
		{"spec:\n  a:\n    default: |\n      1\n    t: 1\n  b: {}\n", int64(1), "spec:\n  a:\n    default: 1\n    t: 1\n  b: {default: 1}\n"},
		{"spec:\n  a:\n    default: &d  '1'  # one\n\n  b:\n    default:\n      # two\n      !!str 1 # three\n", int64(1), "spec:\n  a:\n    default: 1  # one\n\n  b:\n    default:\n      # two\n      1 # three\n"},
		{"spec:\n  a: &a\n    default:  '1'\n\n  b: *a\n", int64(1), "spec:\n  a: &a\n    default:  1\n\n  b: *a\n"},
		{"spec:\n  a: &a\n    t:  1\n\n  b: *a\n", int64(1), "spec:\n  a: &a\n    t:  1\n    default: 1\n\n  b: *a\n"},
		{"spec:\n  a:\n    default: [1]\n  b:\n    default:\n", int64(1), "spec:\n  a:\n    default: 1\n  b:\n    default: 1\n"},
	} {
		got, err := manifest.Edit("f.yaml", []byte(head+c.in), set(c.value))
		if err != nil || string(got) != head+c.want {
			t.Errorf("got %s, %v\nwant %s", got, err, head+c.want)
		}
	}
}

// Delete removes a document with its separator.
func TestEditDeletes(t *testing.T) {
	change := func(o *manifest.Object) ([]manifest.Change, error) {
		if o.Identity().Kind == "A" {
			return []manifest.Change{{Delete: true}}, nil
		}
		return nil, nil
	}
	const a, b, c = "# a\nkind: A\napiVersion: v1\n", "kind:  B\napiVersion: v1\n", "kind:  C\napiVersion: v1\n"
	for _, c := range []struct{ in, want string }{
		{a, ""},
		{a + "---\n" + b, "---\n" + b},
		{b + "---\n" + a, b},
		{b + "---\n" + a + "---\n" + c, b + "---\n" + c},
		{b + "---\n{\"kind\": \"A\", \"apiVersion\": \"v1\"}\n", b},
	} {
		if got, err := manifest.Edit("f.yaml", []byte(c.in), change); err != nil || string(got) != c.want {
			t.Errorf("got %q, %v\nwant %q", got, err, c.want)
		}
	}
	_, err := manifest.Edit("f.yaml", []byte("kind: List\napiVersion: v1\nitems:\n- kind: A\n  apiVersion: v1\n"), change)
	if want := "f.yaml:4: an object can only be deleted if it has a document of its own; separate the objects with ---"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestEditErrors(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no YAML", "a: [", "f.yaml:1: not YAML: did not find expected node content"},
		{"merged", "kind: A\napiVersion: v1\n<<: {spec: {x: 1}}\n", "f.yaml:1:1: spec comes from a merge key (<<), and cannot be changed there; write it as a field of the mapping"},
		{"a merged list", "kind: A\napiVersion: v1\nspec:\n  <<: {l: [{b: 2}]}\n", "f.yaml:4:3: l comes from a merge key (<<), and cannot be changed there; write it as a field of the mapping"},
		{"several JSON values", `{"kind": "A", "apiVersion": "v1", "spec": {}} {"kind": "B", "apiVersion": "v1"}`,
			"f.yaml:1: several JSON values in one document cannot be changed; separate them with ---"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := manifest.Edit("f.yaml", []byte(c.in), edit)
			if err == nil || err.Error() != c.want {
				t.Errorf("got %s and %v, want %s", got, err, c.want)
			}
		})
	}
	no := errors.New("no")
	if _, err := manifest.Edit("f.yaml", []byte("{kind: A, apiVersion: v1}"), func(*manifest.Object) ([]manifest.Change, error) { return nil, no }); err != no {
		t.Errorf("got %v", err)
	}
}

// TestEditMissingSteps tests changes whose steps do not exist in the object.
func TestEditMissingSteps(t *testing.T) {
	for _, c := range []struct {
		steps []any
		want  string
	}{
		{[]any{"spec", "none"}, "f.yaml:3:7: cannot change none, because it is not here"},
		{[]any{"spec", "none", "below", "deep"}, "f.yaml:3:7: cannot change none, because it is not here"},
		{[]any{"spec", "l", 1}, "f.yaml:3:11: cannot change 1, because it is not here"},
		{[]any{"spec", "l", -1}, "f.yaml:3:11: cannot change -1, because it is not here"},
		{[]any{"spec", "l", "x", 0}, "f.yaml:3:11: cannot change x, because it is not here"},
		{[]any{"kind", 0}, "f.yaml:1:7: cannot change 0, because it is not here"},
	} {
		change := func(*manifest.Object) ([]manifest.Change, error) {
			return []manifest.Change{{Steps: c.steps, Set: "a", Value: "b"}}, nil
		}
		got, err := manifest.Edit("f.yaml", []byte("kind: A\napiVersion: v1\nspec: {l: [{b: 2}]}\n"), change)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v: got %s and %v, want %s", c.steps, got, err, c.want)
		}
	}
}
