// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// checkBlock compares readBlock with the decoder. It returns true if readBlock supports
// data.
func checkBlock(t *testing.T, data string) bool {
	t.Helper()
	got, ok := readBlock([]byte(data))
	if !ok {
		return false
	}
	d := &document{file: "a.yaml", line: 1, data: []byte(data)}
	want, errs := d.decodeAny()
	if len(errs) > 0 || !reflect.DeepEqual(got, want) || d.otherKeys {
		t.Fatalf("%q\nread as %#v\nwant    %#v, %v, other keys: %t", data, got, want, errs, d.otherKeys)
	}
	return true
}

// asWritten lists documents in the styles that programs and people use.
var asWritten = []string{
	"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {}\n  finalizers: []\ndata:\n  a: \"1\"\n  'b': '2'\n  \"c d\": it's\n",
	"---\n# Source: chart\na:\n- b: 1\n  c:\n    - d\n    -   e: x\n        f: y\n- - 1\n  - 2\n-\n  g: h\n-\nlast:\n",
	"a: |\n  one\n   two\n\n  three\nb: |-\n    x\n  \nc: |+\n  y\n\n\nd:\n  - |\n    z\n",
	"message: a text that is\n  folded by the one\n  who wrote it\nnext: 25%\n",
	"a: 1\nb: -7\nc: 0\nd: 0x1f\ne: 010\nf: 1e3\ng: 1.5\nh: .5\ni: +3\nj: 1_000\nk: 0b11\nl: 9223372036854775807\nm: 18446744073709551615\np: 123456789012345678901\nq: -0\n",
	"a: yes\nb: No\nc: ~\nd: null\ne: on\nf: nothing\ng: y\nh: true\ni: trueish\nj: Off\nk: <<\n",
	"a: 10.0.0.1\nb: 512Mi\nc: 100m\nd: 2026-03-01\ne: 2026-03-01T10:00:00Z\nf: 1.26.3\ng: 12:30:45\nh: --x\ni: ..x\nj: .\nk: 1-2\n",
	"f:spec:\n  k:{\"port\":80,\"protocol\":\"TCP\"}:\n    .: {}\n    f:port: {}\n  v:\"x\": {}\n",
	"a: \"x\\n\\\"y\\\"\\t\\\\\"\nb: '''q'''\nc: \"#\" # comment\nd: {} # comment\ne: a#b # comment\n",
	"a: ü\nb: \"日本\"\nü: |\n  é\n",
	"a: 'x: y\n    # it''s\n  z' # comment\nb: \"x\n  \\\"y\n   z\"\nc: '{}\n\n\n  x\n\n  '\n",
	"a:\n  - b\n  # comment\n\n  - c\n# more\nd: e",
	"a: |\n  x",
	"a: |\n\n  x\n# end\nb: c\n",
	"a: |\n  b\tc\n  \ttab\nd: http://x:80/\ne: a:b\n",
	"  a: b\n  c: d\n",
	"- a\n- b: c\n- \"d\"\n",
}

func TestBlock(t *testing.T) {
	for _, data := range asWritten {
		if !checkBlock(t, data) {
			t.Errorf("not read: %q", data)
		}
	}
	for _, data := range []string{
		"", "a", "# only\n", "a: b: c\n", "a: &x 1\nb: *x\n", "a: !!str 1\n", "? a\n: b\n", "a: [1, 2]\n", "a: {b: c}\n", "yes: 1\n", "1: a\n", "~: a\n",
		"<<: {}\n", "a: >\n  x\n", "a: |2\n    x\n", "a: 1\na: 2\n", "a:\n\tb: c\n", "a: 'x\n  \n  y'\n", "a: 'x\n\n\n", "a: \"x \\\n  y\"\n", "a: 'x\ny'\n", "a: x\n  # c\n  y\n", "a: x\n\n  y\n", "a: x # c\n  y\n",
		"a: \"x\" y\n", "a:\n  b: c\n d: e\n", "a: b\r\n", "a: \x01\n", "a: \u2028b\n", "a: \xff\n", "a: .nan\n", "a: @b\n", "a: \"\\u0041\"\n", "a:\n  x\n", "--- a: b\n",
		"a : b\n", "a: -\n", "a: - b\n", "a: |\n", "a: |\nb: c\n", "a: |\n    \n  x\n", "a: {}\n  b: c\n", "- a\nb: c\n", "a: b\n- c\n", "{}\n", "[]\n", "a: b #c\n", "a: b\n%x\n",
		"a: " + strings.Repeat("- ", 300) + "x\n", strings.Repeat("- ", 300) + "x\n", strings.Repeat("k", 2000) + ": v\n",
	} {
		checkBlock(t, data)
	}
}

// TestBlockOfFiles reads the YAML files of the repository. readBlock must support each
// file live.yaml, because a program wrote it.
func TestBlockOfFiles(t *testing.T) {
	read, all := 0, 0
	err := filepath.WalkDir("../..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil || len(data) > 1<<20 {
			return err
		}
		for _, d := range split(name, data) {
			all++
			if checkBlock(t, string(d.data)) {
				read++
			} else if filepath.Base(name) == "live.yaml" {
				t.Errorf("%s:%d is not read", name, d.line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 40 {
		t.Errorf("%d of %d documents were read", read, all)
	}
}

// TestBlockRandom reads randomly changed documents.
func TestBlockRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"\n", " ", "  ", "- ", ": ", ":", "#", " #", "'", "\"", "\\", "|", "|-", "|+", "{}", "[]", "a", "0", "-", ".", "~", "y", "\t", "---\n", "...", "*", "&a ", "é", "\n\n", "\n  ", "\n- ", "x: ", "1", "_", "+", "e", "T"}
	n, read := 20_000, 0
	if testing.Short() {
		n = 6000
	}
	for range n {
		data := asWritten[r.IntN(len(asWritten))]
		for range 1 + r.IntN(4) {
			at := r.IntN(len(data) + 1)
			to := min(len(data), at+r.IntN(4)*r.IntN(2))
			data = data[:at] + parts[r.IntN(len(parts))] + data[to:]
		}
		// The result of split has separators only at the beginning of a document.
		for _, d := range split("a.yaml", []byte(data)) {
			if boundaryOf(d.data) < brokenSeparator && checkBlock(t, string(d.data)) {
				read++
			}
		}
	}
	if read < n/10 {
		t.Errorf("%d of %d documents were read", read, n)
	}
}

func BenchmarkBlock(b *testing.B) {
	data := []byte(strings.Join(asWritten[:8], ""))
	for name, read := range map[string]func(){
		"quick":   func() { readBlock(data) },
		"decoder": func() { (&document{data: data}).decodeAny() },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				read()
			}
		})
	}
}
