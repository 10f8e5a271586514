// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// streamed reads data as a stream and collects the objects and errors of all parts.
func streamed(t *testing.T, data string) (objects []*Object, errs Errors) {
	t.Helper()
	s := NewStream("f", strings.NewReader(data), int64(len(data)))
	for p, err := range s.Parts() {
		var found []*Object
		if err == nil {
			found, err = s.Read(&p)
		}
		var bad Errors
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%q: %v", data, err)
		}
		objects, errs = append(objects, found...), append(errs, bad...)
	}
	return objects, errs
}

// places returns all paths in an object with their positions, one per line.
func places(o *Object) string {
	var out strings.Builder
	var walk func(v any, steps []any)
	walk = func(v any, steps []any) {
		fmt.Fprintf(&out, "%v %v\n", steps, o.At(steps...))
		switch v := v.(type) {
		case map[string]any:
			for name, c := range v {
				walk(c, append(steps[:len(steps):len(steps)], name))
			}
		case []any:
			for i, c := range v {
				walk(c, append(steps[:len(steps):len(steps)], i))
			}
		}
	}
	walk(o.Content, nil)
	lines := strings.Split(out.String(), "\n")
	slices.Sort(lines)
	return o.Start().String() + "\n" + strings.Join(lines, "\n")
}

// isJSON reports whether every document that looks like JSON really is JSON.
func isJSON(data string) bool {
	for _, d := range split("f", []byte(data)) {
		if body, line, ok := d.json(); ok {
			if _, err := decodeJSON(body, line); err != nil {
				return false
			}
		}
	}
	return true
}

// checkStream compares reading data as a stream with reading it as a file. If the file has
// errors, only the errors are compared, because a stream still returns the other parts.
func checkStream(t *testing.T, data string) {
	t.Helper()
	got, gotErrs := streamed(t, data)
	all, err := Read("f", []byte(data))
	var want Errors
	errors.As(err, &want)
	if (len(gotErrs) == 0) != (len(want) == 0) {
		if !isJSON(data) {
			return // a stream reads each value of YAML that looks like JSON separately
		}
		t.Fatalf("%q\nstream: %v\nfile:   %v", data, gotErrs, want)
	}
	if len(want) > 0 {
		return
	}
	if len(got) != len(all) {
		t.Fatalf("%q\nstream: %d objects\nfile:   %d", data, len(got), len(all))
	}
	for i, o := range got {
		if o.Identity() != all[i].Identity() || !reflect.DeepEqual(o.Content, all[i].Content) {
			t.Fatalf("%q\nstream: %v\nfile:   %v", data, o.Content, all[i].Content)
		}
		if is, was := places(o), places(all[i]); is != was {
			t.Fatalf("%q\nstream: %s\nfile:   %s", data, is, was)
		}
	}
}

// filesOfObjects lists valid files in all formats.
var filesOfObjects = []string{
	"",
	"# nothing\n---\n",
	"apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n# Source: x\napiVersion: v1\nkind: B\n...\n---\n\n---\napiVersion: v1\nkind: C\n",
	"\ufeffapiVersion: v1\nkind: A\n",
	`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}` + "\n" + `{"apiVersion":"v1","kind":"B","x":[1,-2.5e3,true,null,"\"}{"]}` + "\n",
	`{"apiVersion":"v1","kind":"A"} {"apiVersion":"v1","kind":"B"}` + "\n---\n" + `  {"apiVersion":"v1","kind":"C"}`,
	"---\n" + `{"apiVersion":"v1","kind":"A"}`,
	"\ufeff---\n\ufeffapiVersion: v1\nkind: A\n---\n\ufeff" + `{"apiVersion":"v1","kind":"B"}` + "\n---#\nkind: C\napiVersion: v1\n",
	`{"apiVersion":"v1","kind":"A"} # comment` + "\n\n# comment\n---\nkind: C\napiVersion: v1\n... # comment\n",
	`{"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}, {"apiVersion":"v1","kind":"B",` + "\n" + `"data":{"x":"]"}}],"kind":"List","metadata":{"resourceVersion":""}}` + "\n",
	"{\n  \"kind\": \"PodList\",\n  \"apiVersion\": \"v1\",\n  \"items\": [\n    {\"metadata\": {\"name\": \"a\"}},\n    {\"metadata\": {\"name\": \"b\"}}\n  ]\n}\n",
	`{"apiVersion":"v1","kind":"List","items":[]}`,
	`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"A"}]}]}`,
	`{"apiVersion":"v1","kind":"List","items":null}`,
	`{"apiVersion":"apps/v1","kind":"DeploymentList","metadata":{},"items":null}`,
	"apiVersion: apps/v1\nkind: DeploymentList\nmetadata:\n  resourceVersion: \"1\"\nitems: null\n",
	`{"apiVersion":"v1","kind":"Lists","items":[{"a":1}]}`,
	"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n  data:\n    x: |\n      - y\n- apiVersion: v1\n  kind: B\n  list:\n  - a: b\n  - c\n# end\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
	"---\napiVersion: v1\nkind: ServiceList\nitems:\n\n  # first\n  - metadata:\n      name: a\n  -\n    metadata:\n      name: b\n---\napiVersion: v1\nkind: A\n",
	"apiVersion: v1\nkind: List\nitems: []\n",
	"apiVersion: v1\nkind: List\nitems:\n",
	"apiVersion: v1\nkind: List\nitems:\n- &x\n  apiVersion: v1\n  kind: A\n- *x\n",
	"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  a: b && c &d\n",
	"apiVersion: v1\nkind: AList\nitems:\n  a: b\n",
	"apiVersion: v1\nkind: AList\nitems: text\n",
	"{apiVersion: v1, kind: A}\n",
	"{\"apiVersion\": \"v1\", \"kind\": \"A\",}\n",
	cborTag + "\xa2\x6aapiVersion\x62v1\x64kind\x61A",
}

// brokenFiles lists files with errors, each with its first error.
var brokenFiles = []struct{ name, data, want string }{
	{"a value cut short", `{"apiVersion":"v1","kind":"A"}` + "\n" + `{"apiVersion":"v1",`, "f:2:20: not JSON: the text ends too early"},
	{"no value", `{"apiVersion":"v1","kind":"A"}` + "\nfoo: bar\n", "f:2:1: not JSON: invalid character 'o' in literal false (expecting 'a')"},
	{"a List cut short", `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"A"},`, "f:1:74: not JSON: the text ends too early"},
	{"no object as item", `{"apiVersion":"v1","kind":"List","items":[` + "\n" + `5]}`, "f:2: want an object as an item of a List, got the number 5"},
	{"null as item", `{"apiVersion":"v1","kind":"List","items":[null]}`, "f:1: want an object as an item of a List, got null"},
	{"no comma", `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"A"} {}]}`, "f:1:74: not JSON: invalid character '{' after array element"},
	{"a key twice", `{"apiVersion":"v1","kind":"List","items":[` + "\n\n" + ` {"apiVersion":"v1","kind":"A","a":1,"a":2}]}`, "f:3:38: .items[0].a: duplicate key, first used on line 3"},
	{"a key twice in the List", `{"apiVersion":"v1","kind":"List","items":[` + "\n\n" + `],"metadata":{"a":1,` + "\n" + `"a":2}}`, "f:4:1: .metadata.a: duplicate key, first used on line 1"},
	{"a key twice in YAML", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: A\n- apiVersion: v1\n  kind: B\n  kind: B\nkind: List\n", "f:7:3: .items[1].kind: duplicate key, first used on line 6"},
	{"a tab", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: A\n- apiVersion: v1\n\tkind: B\nkind: List\n", "f:6:1: not YAML: found a tab character that violates indentation: indent with spaces instead of tabs"},
	{"behind the items", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: A\nkind: List\nmetadata: @\n", "f:6:11: not YAML: found character that cannot start any token: quote a string that begins with \"@\""},
	{"text behind an end", "kind: A\napiVersion: v1\n...\n\n# a\nkind: B\n", "f:6: kubectl ignores this text, because it follows the line \"...\": write the line \"---\" before it, or remove the line \"...\""},
	{"text behind a separator", "kind: A\napiVersion: v1\n--- kind\nkind: B\n", "f:3: kubectl rejects text after \"---\" on the same line: begin the document on the next line"},
	{"a second value", "---\n" + `{"apiVersion":"v1","kind":"A"} {"apiVersion":"v1","kind":"B"}`, "f:2:32: kubectl ignores this text, because it follows a JSON value in the same document: write the line \"---\" before it"},
	{"no kind", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: A\n- apiVersion: v1\nkind: List\n", "f:5: has no kind"},
}

func TestStream(t *testing.T) {
	for _, data := range filesOfObjects {
		checkStream(t, data)
	}
	for _, test := range brokenFiles {
		t.Run(test.name, func(t *testing.T) {
			checkStream(t, test.data)
			_, errs := streamed(t, test.data)
			if got := errs[0].Error(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestStreamOfFiles(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".json" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil || len(data) > 100<<10 {
			return err
		}
		n++
		checkStream(t, string(data))
		return nil
	})
	if err != nil || n < 50 {
		t.Fatal(n, err)
	}
}

// TestStreamRandom reads randomly changed files, and files with a List among many other
// documents.
func TestStreamRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	parts := []string{"\n", " ", "{", "}", "[", "]", ",", ":", "\"", "\\", "\n---\n", "\n...\n", "null", "1", "-", "\n- ", "kind: List\n", "items:\n", `"items":[`, "a", "#", "\t", "é", `"kind":"List"`, "true"}
	n := 3000
	if testing.Short() {
		n = 1000
	}
	for range n {
		data := filesOfObjects[r.IntN(len(filesOfObjects)-1)]
		if r.IntN(3) == 0 {
			data += []string{"", "\n", "\n---\n"}[r.IntN(3)] + filesOfObjects[r.IntN(len(filesOfObjects)-1)]
		}
		for range r.IntN(3) {
			at := r.IntN(len(data) + 1)
			to := min(len(data), at+r.IntN(4)*r.IntN(2))
			data = data[:at] + parts[r.IntN(len(parts))] + data[to:]
		}
		checkStream(t, data)
	}
}

// longReader is a file with a head, a body that is repeated many times, and a tail.
type longReader struct {
	head, body, tail string
	times            int64
}

func (l *longReader) size() int64 {
	return int64(len(l.head)) + l.times*int64(len(l.body)) + int64(len(l.tail))
}

func (l *longReader) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		var from string
		switch i := at - int64(len(l.head)); {
		case i < 0:
			from = l.head[at:]
		case i < l.times*int64(len(l.body)):
			from = l.body[i%int64(len(l.body)):]
		default:
			if i -= l.times * int64(len(l.body)); i >= int64(len(l.tail)) {
				return n, io.EOF
			}
			from = l.tail[i:]
		}
		k := copy(p[n:], from)
		n, at = n+k, at+int64(k)
	}
	return n, nil
}

// TestLongStreams reads files that are larger than the limit for a single object.
func TestLongStreams(t *testing.T) {
	item := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"` + strings.Repeat("y", 1<<20) + `"}}`
	text := "apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n  data:\n    x: " + strings.Repeat("y", 1<<20) + "\n"
	for _, l := range []*longReader{
		{body: item + "\n", times: 70},
		{body: item, times: 70},
		{head: `{"apiVersion":"v1","items":[` + item, body: "," + item, times: 69, tail: `],"kind":"List"}`},
		{head: "apiVersion: v1\nitems:\n", body: "- " + text, times: 70, tail: "kind: List\n"},
		{body: "---\n" + strings.ReplaceAll(text, "\n  ", "\n"), times: 70},
	} {
		s, n := NewStream("f", l, l.size()), 0
		for p, err := range s.Parts() {
			if err != nil {
				t.Fatal(err)
			}
			if p.Size() > 2<<20 && p.form != headPart {
				t.Fatalf("a part of %d bytes", p.Size())
			}
			objects, err := s.Read(&p)
			if err != nil {
				t.Fatal(err)
			}
			n += len(objects)
		}
		if n != 70 {
			t.Errorf("%.30q: %d objects", l.body, n)
		}
	}
	for _, l := range []*longReader{
		{head: `{"apiVersion":"v1","kind":"A","data":{"x":"`, body: "y", times: MaxSize, tail: `"}}`},
		{head: "apiVersion: v1\nkind: A\ndata:\n  x: ", body: "y", times: MaxSize, tail: "\n"},
	} {
		s := NewStream("f", l, l.size())
		for _, err := range s.Parts() {
			if err == nil || err.Error() != "f:1: the file is larger than 64 MiB" {
				t.Errorf("%.20q: got %v", l.head, err)
			}
		}
	}
	l := &longReader{head: `{"apiVersion":"v1","items":[` + item, body: "," + item, times: 69}
	s := NewStream("f", l, l.size())
	for _, err := range s.Parts() {
		if err == nil || !strings.HasPrefix(err.Error(), "f:1: not JSON: the text ends too early") {
			t.Errorf("cut short: got %v", err)
		}
	}
}
