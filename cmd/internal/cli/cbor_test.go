// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// configMapCBOR is the CBOR encoding of the ConfigMap shop/a, whose data is a: 1. Kubernetes
// would encode the strings as byte strings. Here they are text strings.
const configMapCBOR = "d9d9f7a46a61706956657273696f6e627631646b696e6469436f6e6669674d6170" +
	"686d65746164617461a2646e616d656161696e616d6573706163656473686f706464617461a161616131"

const configMapYAML = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {a: \"1\"}\n"

// Commands accept CBOR wherever they accept YAML, and print the same result.
func TestCBOR(t *testing.T) {
	decoded, err := hex.DecodeString(configMapCBOR)
	if err != nil {
		t.Fatal(err)
	}
	object := string(decoded)
	binary, text := write(t, "a.cbor", object), write(t, "a.yaml", configMapYAML)
	clock := "--time=2026-03-01T10:00:00Z"

	status, fromCBOR, messages := run("", false, "apply", "-f", binary, "--field-manager", "m", clock)
	_, fromYAML, _ := run("", false, "apply", "-f", text, "--field-manager", "m", clock)
	if status != 0 || messages != "" || fromCBOR != fromYAML {
		t.Errorf("status %d, %s\ngot\n%s\nwant\n%s", status, messages, fromCBOR, fromYAML)
	}
	for _, args := range [][]string{
		{"diff", "-f", text, "--live", binary, "--field-manager", "m"},
		{"diff", "-f", binary, "--live", text, "--field-manager", "m"},
	} {
		if status, out, messages := run("", false, args...); status != 0 || out != "" {
			t.Errorf("%q: status %d, %s%s", args, status, out, messages)
		}
	}
	if status, out, messages := run("", false, "validate", "-f", binary); status != 0 || messages != "1 object: no errors found\n" {
		t.Errorf("validate: status %d, %s%s", status, out, messages)
	}
	if status, out, messages := run(object+object, false, "default", "-f", "-", "-o", "kyaml"); status != 0 || messages != "2 objects: none changed\n" || strings.Count(out, "---\n{\n") != 2 {
		t.Errorf("two objects from standard input: status %d, %s%s", status, out, messages)
	}

	for name, tt := range map[string]struct{ data, want string }{
		"unknown field": {strings.Replace(object, "ddata", "ddada", 1), ": .dada: field not declared in schema; did you mean data?\n"},
		"cut short":     {object[:len(object)-1], ": .data.a: byte 74: not CBOR: the data ends too early\n"},
		"key twice":     {strings.Replace(object, "dkind", "ddata", 1), ": .data: byte 65: duplicate key, first used at byte 18\n"},
		"more behind":   {object + "\n", ": byte 75: want the end of the file, or the tag d9d9f7 of the next object, got 0a\n"},
	} {
		file := write(t, "bad.cbor", tt.data)
		status, out, messages := run("", false, "validate", "-f", file)
		if status != command.StatusInvalid || out != "" || messages != file+tt.want {
			t.Errorf("%s: status %d, %s%s, want %s", name, status, out, messages, file+tt.want)
		}
	}
	for _, args := range [][]string{{"lint", binary, "--fix"}, {"cel", binary}} {
		status, out, messages := run("", false, args...)
		if want := binary + ": CBOR files cannot be edited; convert the file to YAML or JSON\n"; status != command.StatusInvalid || out != "" || messages != want {
			t.Errorf("%q: status %d, %s%s", args, status, out, messages)
		}
	}
}
