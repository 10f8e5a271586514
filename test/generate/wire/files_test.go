// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// kubectlReads reads a file with kubectl's library and returns the objects as JSON.
func kubectlReads(t *testing.T, file string) (objects []string, err error) {
	t.Helper()
	infos, err := resource.NewLocalBuilder().Unstructured().
		FilenameParam(false, &resource.FilenameOptions{Filenames: []string{file}}).Flatten().Do().Infos()
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(info.Object)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, toJSON(t, content))
	}
	return objects, nil
}

// dovetailReads reads a file with Read and with a Stream. It checks that both give the same
// objects, and returns these as JSON.
func dovetailReads(t *testing.T, text string) (objects []string, err error) {
	t.Helper()
	read, err := manifest.Read("f", []byte(text))
	for _, o := range read {
		objects = append(objects, toJSON(t, o.Content))
	}
	var streamed []string
	var streamErr error
	s := manifest.NewStream("f", strings.NewReader(text), int64(len(text)))
	for p, err := range s.Parts() {
		var found []*manifest.Object
		if err == nil {
			found, err = s.Read(&p)
		}
		streamErr = errors.Join(streamErr, err)
		for _, o := range found {
			streamed = append(streamed, toJSON(t, o.Content))
		}
	}
	if (err == nil) != (streamErr == nil) || err == nil && !reflect.DeepEqual(objects, streamed) {
		t.Fatalf("%q\nRead returns %v, %v\na Stream returns %v, %v", text, objects, err, streamed, streamErr)
	}
	return objects, err
}

func toJSON(t *testing.T, content map[string]any) string {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// differences are the rows of DIFFERENCES.md about the reading of files.
var differences = []struct {
	id string
	// text is a part of the file. ours and kubectls are parts of the error messages. If ours is
	// empty, Dovetail reads the file without an error.
	text, ours, kubectls string
}{
	{id: "file-text-behind", ours: "kubectl ignores"},
	{id: "file-text-behind", ours: "<document start>"},
	{id: "file-text-behind", ours: "not JSON"},
	{id: "file-text-behind", text: "%YAML", ours: "not YAML"},
	{id: "file-duplicate-keys", ours: "duplicate key"},
	{id: "file-no-version", ours: "has no apiVersion"},
	{id: "file-byte-order-marks", text: "\ufeff"},
	{id: "file-separator-comment", text: "---#"},
	{id: "file-json-rows", kubectls: "invalid character '-' in numeric literal"},
	{id: "file-json-documents", kubectls: "invalid Unicode character escape code"},
	{id: "file-json-documents", kubectls: "unknown escape character"},
	{id: "file-no-content", text: "...", kubectls: "did not find expected node content"},
	{id: "file-no-content", text: "...", kubectls: "looking for beginning of value"},
	{id: "file-no-content", text: "#", kubectls: "looking for beginning of value"},
	{id: "file-no-content", text: "\t", kubectls: "character that cannot start any token"},
}

// rowOf returns the id of the row that explains why the two programs read a file differently,
// or "".
func rowOf(text string, ours, kubectls error) string {
	has := func(err error, part string) bool {
		return err == nil && part == "" || err != nil && part != "" && strings.Contains(err.Error(), part)
	}
	for _, d := range differences {
		if strings.Contains(text, d.text) && has(ours, d.ours) && (d.kubectls == "" || has(kubectls, d.kubectls)) {
			return d.id
		}
	}
	return ""
}

// objectParts is the number of parts that are objects. They come first in parts.
const objectParts = 13

// parts are the parts of random files. %d stands for the number of the part.
var parts = []string{
	"apiVersion: v1\nkind: A\nmetadata:\n  name: a%d\n",
	"apiVersion: v1\nkind: A\nmetadata:\n  name: a%d\ndata:\n  x: |\n    a\n    ---\n    b\n",
	"apiVersion: v1\nkind: A\nmetadata:\n  name: a%d\ndata:\n  x: |+\n    a\n\n",
	"apiVersion: v1\nkind: A\nmetadata:\n  name: a%d\ndata:\n  x: >-\n    a\n\n    ...\n    b",
	"apiVersion: v1\nkind: A\nmetadata:\n  name: a%d\ndata:\n  x: |\n    a\n\t b\n",
	"apiVersion: v1\nkind: A\nmetadata:\n  name: a%d\ndata:\n  x: |\n    a\n    \tb \n\n  y: \"a\n\n    b\"\n",
	"apiVersion:\tv1\nkind: A\t# tab\nmetadata:\n  name: a%d\n",
	"apiVersion: v1 \nkind: A\nmetadata: {name: a%d,\t namespace: b}\n",
	"{\"apiVersion\": \"v1\", \"kind\": \"A\", \"metadata\": {\"name\": \"a%d\"}}",
	"{\"apiVersion\": \"v1\",\n\t\"kind\": \"A\", \"metadata\": {\"name\": \"a%d\"}, \"n\": [1, 1.0, 1e3, 12345678901234567890, \"\\u00e9\\/\"]}",
	"{\"apiVersion\": \"v1\", \"kind\": \"A\", \"metadata\": {\"name\": \"a%d\"}, \"x\": \"\\ud83d\\ude00\"}",
	"{apiVersion: v1, kind: A, metadata: {name: a%d}}",
	"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a%d\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: b\n",
	"\n", "\n", "\n", "  \n", "\t\n", "\r\n",
	"---\n", "---\n", "---\n", "\n---\n", "\n---\n", "--- \n", "---\t\n", "---\r\n", "\n--- # comment\n", "---  # comment\r\n",
	"---#comment\n", "--- text\n", "--- {}\n", "----\n", "---text\n", "--- |\n", " ---\n",
	"...\n", "\n...\n", "... # comment\n", "... text\n", "...\r\n", "...text\n", "....\n",
	"# comment\n", " # comment\n", "#\n", "%%YAML 1.1\n",
	"\ufeff", "\ufeff", "null\n", "~\n", "[]\n", "text\n", "a: b\n", "a: c\n", "}", "\"", ":",
}

// randomFile returns a random file. Half of its parts are objects. A separator follows half of
// the objects.
func randomFile(r *rand.Rand) string {
	var out strings.Builder
	for i := range 1 + r.IntN(6) {
		part := parts[r.IntN(len(parts))]
		if r.IntN(2) == 0 {
			part = parts[r.IntN(objectParts)] + []string{"", "\n", "\n---\n", "\n---\n"}[r.IntN(4)]
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "%d", fmt.Sprint(i)), "%%", "%")
		if r.IntN(8) == 0 {
			part = strings.ReplaceAll(part, "\n", "\r\n")
		}
		out.WriteString(part)
	}
	return out.String()
}

// TestFilesLikeKubectl reads random files with kubectl's library and with package manifest. A
// row of DIFFERENCES.md must explain each difference, and each of these rows must occur.
func TestFilesLikeKubectl(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 1500
	}
	rows := map[string]int{}
	both := 0
	r := rand.New(rand.NewPCG(11, 12))
	file := filepath.Join(t.TempDir(), "f.yaml")
	for range n {
		text := randomFile(r)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want, wantErr := kubectlReads(t, file)
		got, err := dovetailReads(t, text)
		switch {
		case wantErr != nil && err != nil:
			continue
		case wantErr == nil && err == nil && reflect.DeepEqual(got, want):
			both += len(got)
			continue
		}
		row := rowOf(text, err, wantErr)
		if row == "" {
			t.Errorf("no row of DIFFERENCES.md explains the difference for %q\ndovetail reads %v, %v\nkubectl reads %v, %v", text, got, err, want, wantErr)
		}
		rows[row]++
	}
	t.Log(both, "objects are the same;", rows)
	if both < n/4 {
		t.Errorf("only %d objects were compared", both)
	}
	documented, err := os.ReadFile("../../../DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		if !strings.Contains(string(documented), "\n| "+d.id+" |") {
			t.Errorf("DIFFERENCES.md has no row %s", d.id)
		}
		if rows[d.id] == 0 && !testing.Short() {
			t.Errorf("the difference %s did not occur", d.id)
		}
	}
}

// TestEncodingsOfFiles tests the row file-encoding of DIFFERENCES.md.
func TestEncodingsOfFiles(t *testing.T) {
	const object = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n"
	utf16 := "\xff\xfe"
	for _, c := range []byte(object) {
		utf16 += string([]byte{c, 0})
	}
	for _, test := range []struct{ text, kubectl, ours string }{
		{utf16, `"name":"a"`, "the file is UTF-16; convert it to UTF-8"},
		{object + "x: caf\xe9\n", "\"x\":\"caf\ufffd\"", "UTF-8 octet"},
	} {
		file := filepath.Join(t.TempDir(), "f.yaml")
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := kubectlReads(t, file); err != nil || len(got) != 1 || !strings.Contains(got[0], test.kubectl) {
			t.Errorf("kubectl reads %v, %v", got, err)
		}
		if got, err := dovetailReads(t, test.text); err == nil || !strings.Contains(err.Error(), test.ours) {
			t.Errorf("dovetail reads %v, %v", got, err)
		}
	}
}
