// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// A syntax error must have its position and a fix, and must not mention Go.
func TestSyntaxErrors(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\n"
	for _, tt := range []struct{ name, data, want string }{
		{"tab at the beginning", head + "metadata:\n\tname: x\n",
			"f:4:1: not YAML: found character that cannot start any token: indent with spaces instead of tabs"},
		{"tab behind spaces", head + "data:\n  a: x\n  \tb: y\n",
			"f:5:3: not YAML: found a tab character that violates indentation: indent with spaces instead of tabs"},
		{"template as value", head + "data:\n  a: {{ .Values.x }}\n",
			"f:4:7: .data.a: not YAML: want a string as a key, got a mapping: {{ }} is template syntax; render the template first, for example with helm template"},
		{"template as line", head + "{{- if .Values.x }}\ndata: {}\n{{- end }}\n",
			"f:3:1: not YAML: could not find expected ':': {{ }} is template syntax; render the template first, for example with helm template"},
		{"mapping as key", head + "data:\n  ? {a: b}\n  : c\n",
			"f:4:5: .data: not YAML: want a string as a key, got a mapping"},
		{"at", head + "data:\n  a: @x\n",
			`f:4:6: not YAML: found character that cannot start any token: quote a string that begins with "@"`},
		{"star", head + "data:\n  a: *x\n",
			`f:4: not YAML: unknown anchor referenced: quote a string that begins with "*"`},
		{"two colons", head + "data:\n  a: b: c\n",
			`f:4:7: not YAML: mapping values are not allowed in this context: the line has ": " twice; quote the string that contains it`},
		{"two colons in braces", head + "data: {ä: b: c}\n",
			"f:3: not YAML: did not find expected ',' or '}'"},
		{"less indented", head + "data:\n  a: b\n c: d\n",
			"f:5:2: not YAML: did not find expected key: check that the line has the same indentation as those above it"},
		{"more indented", head + "data:\n  a: b\n    c: d\n",
			"f:5:5: not YAML: mapping values are not allowed in this context: the line above has a value already; check the indentation of this line"},
		{"open quote", head + "data:\n  a: \"x\n  b: y\n",
			"f:5: not YAML: found unexpected end of stream: close the quote"},
		{"open quote above another quote", head + "data:\n  a: \"x\n  b: y\n  c: \"z\"\n",
			"f:6:3: not YAML: did not find expected key: check that the line has the same indentation as those above it, and that the quote on line 4 is closed"},
		{"closed quote above", head + "data:\n  a: \"x\"\n c: \"d\"\n",
			"f:5:2: not YAML: did not find expected key: check that the line has the same indentation as those above it"},
		{"open bracket", head + "data: [\n",
			"f:3: not YAML: did not find expected node content"},
		{"second document", "---\n" + head + "---\n" + head + "data:\n  a: b: c\n",
			`f:8:7: not YAML: mapping values are not allowed in this context: the line has ": " twice; quote the string that contains it`},
		{"items are a mapping", "apiVersion: v1\nkind: List\nitems: {a: b}\n",
			"f:3:1: .items: want a list, got a mapping"},
		{"spelling of apiVersion", "apiversion: v1\nkind: ConfigMap\n",
			"f:1: has no apiVersion; rename the field apiversion on line 1"},
		{"objects in a list", "- apiVersion: v1\n  kind: ConfigMap\n",
			"f:1: want an object, got a list; write the objects as documents with --- between them, or as items of a v1 List"},
		{"comment in JSON", "{\n  // one\n  \"apiVersion\": \"v1\", \"kind\": \"ConfigMap\"\n}\n",
			"f:2:3: not JSON: found a comment, which JSON does not allow: remove it, or write YAML"},
		{"comment behind JSON", "{\n  \"apiVersion\": \"v1\", \"kind\": \"a//b\" /* c */\n}\n",
			"f:2:38: not JSON: found a comment, which JSON does not allow: remove it, or write YAML"},
		{"octal name", head + "metadata: {name: 012}\n",
			`f:3:12: .metadata.name: want a string, got the number 012, which YAML reads as 10; quote it: "012"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := manifest.Read("f", []byte(tt.data))
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if strings.Contains(err.Error(), "interface") {
				t.Errorf("Go in %v", err)
			}
		})
	}
}

// A List without items contains no objects. This is not an error.
func TestEmptyList(t *testing.T) {
	for _, data := range []string{"apiVersion: v1\nkind: List\n", "apiVersion: v1\nkind: List\nitems: []\n", "apiVersion: v1\nkind: List\nitems:\n"} {
		if objects, err := manifest.Read("f", []byte(data)); len(objects) > 0 || err != nil {
			t.Errorf("%q: %v, %v", data, objects, err)
		}
	}
}
