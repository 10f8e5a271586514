// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func identities(objects []*manifest.Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, fmt.Sprintf("%s @%d", o.Identity(), o.Start().Line))
	}
	return out
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		want       []string
		err        string
	}{
		{name: "empty"},
		{name: "comments only", data: "# nothing\n---\n# here\n"},
		{
			name: "documents",
			data: "# first\napiVersion: v1\nkind: A\nmetadata: {name: a}\n--- # second\napiVersion: v1\nkind: B\nmetadata: {name: b, namespace: ns}\n",
			want: []string{"v1 A a @2", "v1 B ns/b @6"},
		},
		{
			name: "end marker, CRLF",
			data: "---\r\napiVersion: v1\r\nkind: A\r\n... # end\r\n\r\n# comment\r\n--- # next\r\napiVersion: v1\r\nkind: B\r\n...\r\n",
			want: []string{"v1 A @2", "v1 B @8"},
		},
		{
			name: "text after an end marker",
			data: "apiVersion: v1\nkind: A\n...\n# comment\napiVersion: v1\nkind: B\n---\napiVersion: v1\nkind: C\n",
			want: []string{"v1 A @1", "v1 C @8"},
			err:  "f:5: kubectl ignores this text, because it follows the line \"...\": write the line \"---\" before it, or remove the line \"...\"",
		},
		{
			name: "text on the line of an end marker",
			data: "apiVersion: v1\nkind: A\n... kind: B\n",
			want: []string{"v1 A @1"},
			err:  "f:3: kubectl ignores this text, because it follows the line \"...\": write the line \"---\" before it, or remove the line \"...\"",
		},
		{
			name: "text on the line of a separator",
			data: "apiVersion: v1\nkind: A\n--- {apiVersion: v1, kind: B}\n",
			want: []string{"v1 A @1"},
			err:  "f:3: kubectl rejects text after \"---\" on the same line: begin the document on the next line",
		},
		{name: "a line that begins with a separator", data: "-----\na: b\n", err: "f:1: kubectl rejects text after \"---\" on the same line: begin the document on the next line"},
		{
			name: "comment without space on the line of a separator",
			data: "apiVersion: v1\nkind: A\n---#comment\napiVersion: v1\nkind: B\n",
			want: []string{"v1 A @1", "v1 B @4"},
		},
		{
			name: "byte order marks",
			data: "\ufeffapiVersion: v1\nkind: A\n---\n\ufeffapiVersion: v1\nkind: B\n---\n\ufeff{\"apiVersion\": \"v1\", \"kind\": \"C\"}",
			want: []string{"v1 A @1", "v1 B @4", "v1 C @7"},
		},
		{
			name: "JSON values in a row behind a separator",
			data: "---\n{\"apiVersion\": \"v1\", \"kind\": \"A\"}\n{\"apiVersion\": \"v1\", \"kind\": \"B\"}\n",
			err:  "f:3:1: kubectl ignores this text, because it follows a JSON value in the same document: write the line \"---\" before it",
		},
		{
			name: "marker inside a scalar is text",
			data: "apiVersion: v1\nkind: A\nmetadata: {name: a}\ndata:\n  x: |\n    a\n    ---\n    b\n",
			want: []string{"v1 A a @1"},
		},
		{
			name: "JSON values in a row, then YAML",
			data: `{"apiVersion":"v1","kind":"A"}` + "\n" + `{"apiVersion":"v1","kind":"B"}` + "\n---\napiVersion: v1\nkind: C\n",
			want: []string{"v1 A @1", "v1 B @2", "v1 C @4"},
		},
		{
			name: "flow mapping is YAML",
			data: "{apiVersion: v1, kind: A}\n",
			want: []string{"v1 A @1"},
		},
		{
			name: "List",
			data: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: v1, kind: B}\n",
			want: []string{"v1 A @4", "v1 B @9"},
		},
		{
			name: "typed list lends its items apiVersion and kind",
			data: "apiVersion: v1\nkind: ServiceList\nitems:\n- metadata: {name: a}\n",
			want: []string{"v1 Service a @4"},
		},
		{name: "typed list without items", data: "apiVersion: v1\nkind: ServiceList\nmetadata: {resourceVersion: \"1\"}\nitems: null\n---\napiVersion: v1\nkind: A\n", want: []string{"v1 A @6"}},
		{name: "custom resource whose items are null", data: "apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\nitems: null\n", want: []string{"example.com/v1 AllowList a @1"}},
		{name: "custom resource without a name whose items are null", data: "apiVersion: example.com/v1\nkind: AllowList\nmetadata: {generateName: a-}\nitems: null\n", want: []string{"example.com/v1 AllowList @1"}},
		{name: "byte order mark", data: "\xef\xbb\xbfapiVersion: v1\nkind: A\n", want: []string{"v1 A @1"}},
		{name: "UTF-16", data: "\xff\xfea\x00", err: "f:1: the file is UTF-16; convert it to UTF-8"},
		{name: "not an object", data: "\n- a\n", err: "f:2: want an object, got a list"},
		{name: "scalar", data: "hello\n", err: "f:1: want an object, got the string hello"},
		{name: "no kind", data: "apiVersion: v1\n", err: "f:1: has no kind"},
		{name: "kind a number", data: "apiVersion: v1\nkind: 3\n", err: "f:2:1: .kind: want a string, got the number 3; quote it: \"3\""},
		{
			name: "namespace n",
			data: "apiVersion: v1\nkind: A\nmetadata: {namespace: n}\n",
			err:  "f:3:12: .metadata.namespace: want a string, got the boolean false: in YAML 1.1, which Kubernetes reads, the unquoted word \"n\" is a boolean; write it in quotes: \"n\"",
		},
		{name: "kind a number in JSON", data: "{\"apiVersion\": \"v1\", \"kind\": {}}", err: "f:1:22: .kind: want a string, got a mapping"},
		{name: "metadata a list", data: "apiVersion: v1\nkind: A\nmetadata: []\n", err: "f:3:1: .metadata: want a mapping, got a list"},
		{name: "item not an object", data: "apiVersion: v1\nkind: List\nitems: [3]\n", err: "f:3: want an object as an item of a List, got the number 3"},
		{
			name: "duplicate key",
			data: "apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\nspec:\n  a: 1\n  b: 2\n  a: 3\n",
			want: []string{"v1 A @1"},
			err:  "f:9:3: .spec.a: duplicate key, first used on line 7",
		},
		{
			name: "duplicate key after conversion",
			data: "apiVersion: v1\nkind: B\ndata:\n  1: a\n  \"1\": b\n",
			err:  "f:4:3: .data.1: duplicate key, once as a string",
		},
		{
			name: "overriding a merged key is no duplicate",
			data: "apiVersion: v1\nkind: B\nx: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n",
			want: []string{"v1 B @1"},
		},
		{
			name: "duplicate key in JSON",
			data: "{\n\"apiVersion\": \"v1\",\n\"spec\": {\"a\": 1,\n\"a\": 2}}",
			err:  "f:4:1: .spec.a: duplicate key, first used on line 3",
		},
		{name: "broken YAML", data: "a: b\n---\nkind: A\n x: y\n", err: "f:1: has no apiVersion\nf:4:2: not YAML: mapping values are not allowed in this context: the line above has a value already; check the indentation of this line"},
		{name: "tabs", data: "kind: A\nspec:\n\ta: 1\n", err: "f:3:1: not YAML: found character that cannot start any token: indent with spaces instead of tabs"},
		{name: "broken JSON", data: "{\"a\": 1,\n\"b\": ]}\n", err: "f:2:6: not JSON: invalid character ']' "},
		{name: "JSON ends early", data: "{\"a\": 1,\n", err: "f:2:1: not JSON: the text ends too early"},
		{name: "JSON ends early in the second value", data: "{\"apiVersion\": \"v1\", \"kind\": \"A\"}\n{\"apiVersion\":", err: "f:2:15: not JSON: the text ends too early"},
		{name: "garbage after JSON", data: "{\"apiVersion\": \"v1\", \"kind\": \"A\"} garbage {}", err: "f:1:35: not JSON: invalid character 'g' looking for beginning of value"},
		{name: "a comma after JSON", data: "{\"apiVersion\": \"v1\", \"kind\": \"A\"},\n{}", err: "f:2:1: not JSON: invalid character ',' looking for beginning of value"},
		{name: "YAML after JSON", data: "{\"apiVersion\": \"v1\", \"kind\": \"A\"}\nfoo: bar\n", err: "f:2:1: not JSON: invalid character 'o' in literal false (expecting 'a')"},
		{name: "YAML after YAML", data: "{apiVersion: v1, kind: A}\n# and\n{apiVersion: v1, kind: B}\n", err: "f:3:1: not YAML: did not find expected <document start>: the value above this line is complete; separate two documents with the line \"---\""},
		{name: "a text, then YAML", data: "\"text\"\na: b\n", err: "f:2:1: not YAML: did not find expected <document start>: the value above this line is complete; separate two documents with the line \"---\""},
		{name: "number too large", data: "{\"a\":\n1e999}", err: "f:2:1: .a: number out of range"},
		{name: "infinity", data: "apiVersion: v1\nkind: A\nx: [.inf]\n", err: "f:3:5: .x[0]: NaN and infinity are not JSON numbers; quote the value if it is a string"},
		{name: "null key", data: "apiVersion: v1\nkind: A\nx:\n  ~: 1\n", err: "f:3:1: .x: want a string as a key, got null"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects, err := manifest.Read("f", []byte(tt.data))
			if got := identities(objects); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			// An expected message that ends in a space is only the start of the message.
			// The rest comes from Go and differs between Go releases.
			if got != tt.err && !(strings.HasSuffix(tt.err, " ") && strings.HasPrefix(got, tt.err)) {
				t.Errorf("error %q, want %q", got, tt.err)
			}
		})
	}
}

// TestHelmValues checks the hint for a file with the values of a Helm chart.
func TestHelmValues(t *testing.T) {
	const hint = "; if the file contains values for a Helm chart, it is not a manifest: render the chart with \"helm template\""
	for _, tt := range []struct{ file, data, want string }{
		{"chart/values.yaml", "image: {tag: 1.0}\n", "chart/values.yaml:1: has no apiVersion" + hint},
		{"values-production.yaml", "replicas: 2\n", "values-production.yaml:1: has no apiVersion" + hint},
		{"values.yaml", "kind: Service\n", "values.yaml:1: has no apiVersion"},
		{"web.yaml", "replicas: 2\n", "web.yaml:1: has no apiVersion"},
	} {
		if _, err := manifest.Read(tt.file, []byte(tt.data)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.file, err, tt.want)
		}
	}
}

// Values must be the same as after sigs.k8s.io/yaml and a JSON decoder, because the API
// server reads YAML in this way.
func TestValuesLikeKubernetes(t *testing.T) {
	for _, data := range []string{
		"a: [y, n, Y, yes, No, on, OFF, true, False, ~, null, Null]",
		"a: [0, 1, -1, +1, 0x1f, 0o17, 017, 0b11, 1_000, 9223372036854775807, 9223372036854775808, -9223372036854775809]",
		"a: [1.0, 1.5, 1e3, 1e21, 1.5e-7, -0.0, .5, 5., 1e+400]",
		"a: [2020-01-01, 2020-01-01T00:00:00Z, 12:30:45, 1:20]",
		"1: a\n2.5: b\ntrue: c\nno: d\n",
		"a: !!binary aGVsbG8=\nb: !!str 5\nc: !!int \"5\"\nd: !!float 5\n",
		"a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\n",
		"a: |\n  two\n  lines\nb: >\n  folded\n  text\nc: 'it''s'\nd: \"\\u0041\"\n",
		"a: {}\nb: []\nc: ''\n",
	} {
		var want any
		j, err := yaml.YAMLToJSON([]byte(data))
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		d := json.NewDecoder(strings.NewReader(string(j)))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		want = plainNumbers(want)
		got, err := manifest.ReadValues("f", []byte(data))
		if err != nil {
			t.Errorf("%s: %v", data, err)
			continue
		}
		if !reflect.DeepEqual(got[0], want) {
			t.Errorf("%s:\ngot  %#v\nwant %#v", data, got[0], want)
		}
		fromJSON, err := manifest.ReadValues("f", j)
		if err != nil || !reflect.DeepEqual(fromJSON[0], want) {
			t.Errorf("%s: %#v, %v, want %#v", j, fromJSON, err, want)
		}
	}
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64() // the JSON encoder wrote the number, so it is valid
		return f
	}
	return v
}

func TestBounds(t *testing.T) {
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9))
	}
	merges := "a0: &a0 {x: 1}\n"
	for i := 1; i < 24; i++ {
		merges += fmt.Sprintf("a%d: &a%d {<<: [*a%d, *a%d, *a%d]}\n", i, i, i-1, i-1, i-1)
	}
	for _, tt := range []struct{ name, data, want string }{
		{"aliases", laughs, "excessive aliasing"},
		{"merged aliases", merges, "excessive aliasing"},
		{"own anchor", "a: &a [*a]\n", "contains itself"},
		{"YAML depth", "a: " + strings.Repeat("[", 2_000_000) + "a", "max depth"},
		{"YAML block depth", strings.Repeat("- ", 1_000_000) + "a", "max depth"},
		{"JSON depth", `{"a":` + strings.Repeat("[", 2_000_000), "nested more than 10000 levels deep"},
		{"size", strings.Repeat(" ", manifest.MaxSize+1), "larger than 64 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := manifest.Read("f", []byte(tt.data))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %.300v, want %q in it", err, tt.want)
			}
			if len(fmt.Sprint(err)) > 1000 {
				t.Errorf("message of %d bytes", len(err.Error()))
			}
		})
	}
}

// The number of values of an object is limited. In a List, only objects above the limit
// are rejected.
func TestMaxValues(t *testing.T) {
	object := func(name string, values int) string {
		// Six values are not in x: the object, apiVersion, kind, metadata, the name, and the list
		// x itself.
		return `{"apiVersion":"v1","kind":"A","metadata":{"name":"` + name + `"},"x":[1` + strings.Repeat(",1", values-7) + `]}`
	}
	objects, err := manifest.Read("f", []byte(object("most", 1<<20)))
	if err != nil || len(objects) != 1 {
		t.Fatalf("got %d objects, %v", len(objects), err)
	}
	list := "\n" + `{"apiVersion":"v1","kind":"List","items":[` + object("a", 10) + "," + object("more", 1<<20+1) + "," + object("c", 10) + `]}`
	objects, err = manifest.Read("f", []byte(list))
	if len(objects) != 2 {
		t.Errorf("got %d objects, want 2", len(objects))
	}
	if want := "f:1: v1 A more has 1048577 values (fields and items, including managed fields), want at most 1048576"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDeepButFine(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for _, data := range []string{
		`{"apiVersion":"v1","kind":"A","x":` + deep + `}`,
		"apiVersion: v1\nkind: A\nx: " + deep + "\n",
	} {
		if _, err := manifest.Read("f", []byte(data)); err != nil {
			t.Error(err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, x: [1, &a b, *a]}\n---\n{\"a\": [1, {}]}", ".x[1].a")
	f.Fuzz(func(t *testing.T, data, path string) {
		objects, _ := manifest.Read("f", []byte(data))
		for _, o := range objects {
			if p := o.Position(path); p.Line < 1 && !strings.HasPrefix(data, "\xd9\xd9\xf7") || p.Line > strings.Count(data, "\n")+1 {
				t.Errorf("line %d of %q", p.Line, data)
			}
			o.Scalar(path)
		}
	})
}

// ReadMappings must return documents without a kind, with their line numbers.
func TestReadMappings(t *testing.T) {
	objects, err := manifest.ReadMappings("doc.yaml", []byte("openapi: 3.0.0\n---\n# empty\n---\nnull\n---\na:\n  b:\n  - c: 1\n"))
	if err != nil || len(objects) != 2 {
		t.Fatalf("got %d mappings, %v", len(objects), err)
	}
	if got := objects[1].At("a", "b", 0, "c").Line; got != 9 {
		t.Errorf("got line %d, want 9", got)
	}
	objects[1].Content["kind"] = "Added"
	if got := objects[1].Position(".a.b[0].c").Line; got != 9 {
		t.Errorf("with an added field: got line %d, want 9", got)
	}
	if got := objects[0].Content["openapi"]; got != "3.0.0" {
		t.Errorf("got %v", got)
	}
	if _, err := manifest.ReadMappings("doc.yaml", []byte("a: [")); err == nil || !strings.HasPrefix(err.Error(), "doc.yaml:1") {
		t.Errorf("got %v", err)
	}
}

// ReadMappings must report documents that are not mappings, and still return the others.
func TestReadMappingsOfOtherValues(t *testing.T) {
	for _, tt := range []struct {
		data, want string
		objects    int
	}{
		{"a: b\n---\n- x\n", "doc.yaml:3: want a mapping, got a list", 1},
		{"text\n---\na: b\n---\n5\n", "doc.yaml:1: want a mapping, got the string text\ndoc.yaml:5: want a mapping, got the number 5", 1},
		{`[1] {"a": 2}`, "doc.yaml:1: want a mapping, got a list", 1},
		{"", "", 0},
		{`{"a": 1} null`, "", 1},
	} {
		objects, err := manifest.ReadMappings("doc.yaml", []byte(tt.data))
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != tt.want || len(objects) != tt.objects {
			t.Errorf("%q: got %d mappings and the error %q, want %d and %q", tt.data, len(objects), text, tt.objects, tt.want)
		}
	}
}

// kubectl adds a newline at the end of a file. A block scalar at the end of the
// file therefore ends with a newline.
func TestLastLineWithoutNewline(t *testing.T) {
	objects, err := manifest.Read("f", []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  script: |\n    echo hello"))
	if err != nil {
		t.Fatal(err)
	}
	data, _ := objects[0].Content["data"].(map[string]any)
	if got := data["script"]; got != "echo hello\n" {
		t.Errorf("got %q", got)
	}
}
