// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// commands are the command lines to measure. Words in braces, such as {live}, stand for files.
var commands = [][]string{
	{"apply", "-f", "{config}", "--live", "{live}", "--field-manager", "a", "--crd", "{crd}"},
	{"diff", "-f", "{config}", "--live", "{live}", "--field-manager", "a", "--crd", "{crd}"},
	{"update", "-f", "{other}", "--live", "{live}", "--field-manager", "u", "--crd", "{crd}"},
	{"doctor", "-f", "{live}", "--crd", "{crd}"},
	{"extract", "-f", "{live}", "--field-manager", "a", "--crd", "{crd}"},
	{"migrate", "-f", "{live}", "--from", "a", "--to", "b", "--crd", "{crd}"},
	{"owners", "-f", "{live}", "--crd", "{crd}"},
	{"default", "-f", "{config}", "--crd", "{crd}"},
	{"immutable", "--old", "{live}", "--new", "{other}", "--crd", "{crd}"},
	{"validate", "-f", "{config}", "--crd", "{crd}"},
	{"cel", "{widecrd}"},
	{"lint", "{widecrd}"},
	{"schema", "--crd", "{widecrd}"},
	{"upgrade-check", "--old-crd", "{widecrd}", "--new-crd", "{widecrd}"},
}

// measureCommands runs each command line on files of increasing size.
func (o *options) measureCommands() (failed []string) {
	dir, err := os.MkdirTemp("", "dovetail-scale-")
	must(err)
	defer os.RemoveAll(dir)
	binary, err := gocmd.Dovetail(dir)
	must(err)
	for _, args := range commands {
		for _, axis := range []string{"names", "map"} {
			name := "dovetail " + args[0] + " " + axis
			if !o.wanted.MatchString(name) {
				continue
			}
			if !o.series(name, min(o.largest, 16_384), func(n int) func() float64 {
				line := withFiles(dir, args, shape{axis: axis, order: "shuffled", n: n})
				if line == nil {
					return nil
				}
				return func() float64 {
					cmd := exec.Command(binary, line...)
					out, err := cmd.CombinedOutput()
					if code := cmd.ProcessState.ExitCode(); code > 2 && code != 4 || code < 0 {
						panic(fmt.Sprintf("%s: %v: %.2000s", name, err, out))
					}
					return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
				}
			}) {
				failed = append(failed, name)
			}
		}
	}
	return failed
}

// withFiles writes the files for a command line, and replaces words such as {live} by the names
// of the files. It returns nil if the command line needs a file whose size does not depend on the
// number of elements in the shape.
func withFiles(dir string, args []string, s shape) []string {
	c := &sized{shape: s, typ: newType(false, 1, "")}
	files := map[string]func() any{
		"{live}":   func() any { return c.live() },
		"{config}": func() any { return c.changed() },
		"{other}": func() any {
			o := c.changed()
			o["metadata"] = c.live()["metadata"]
			return o
		},
		"{crd}":     func() any { return definition(0) },
		"{widecrd}": func() any { return definition(s.n) },
	}
	var line []string
	for _, arg := range args {
		if arg == "{widecrd}" && s.axis != "map" {
			return nil
		}
		if file := files[arg]; file != nil {
			text, err := json.Marshal(file())
			must(err)
			arg = filepath.Join(dir, arg[1:len(arg)-1]+".json")
			must(os.WriteFile(arg, text, 0o600))
		}
		line = append(line, arg)
	}
	return line
}

// definition returns a CRD that declares all fields of the test objects. The CRD also declares
// immutable fields, whose number is width.
func definition(width int) object {
	text := object{"type": "string"}
	fields := object{"name": text, "value": text, "number": object{"type": "integer"}, "kind": object{"type": "string", "default": "A"}}
	properties := object{
		"apiVersion": text, "kind": text, "metadata": object{"type": "object"},
		"map": object{"type": "object", "additionalProperties": text},
		"names": object{
			"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
			"items": object{"type": "object", "required": []any{"name"}, "properties": fields},
		},
	}
	for i := range width {
		properties[fmt.Sprintf("field%06d", i)] = object{"type": "string", "x-kubernetes-immutable": true}
	}
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "objs.example.org"},
		"spec": object{
			"group": "example.org", "scope": "Namespaced", "names": object{"kind": "Obj", "plural": "objs", "singular": "obj", "listKind": "ObjList"},
			"versions": []any{object{
				"name": "v1", "served": true, "storage": true,
				"schema": object{"openAPIV3Schema": object{"type": "object", "properties": properties}},
			}},
		},
	}
}
