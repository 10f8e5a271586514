// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/template"
)

// object has the values for the template of one object.
type object struct {
	Kind string
	N    int
	// If Live is true, the object has the fields that a server and controllers set. If Changed
	// is true, it has the changes of the new config.
	Live, Changed bool
}

// kinds lists the kinds of the test objects. The objects have these kinds in turn.
var kinds = []string{"Deployment", "Service", "ConfigMap", "StatefulSet", "Ingress", "DaemonSet", "Secret", "Job", "HorizontalPodAutoscaler", "Role"}

//go:embed objects.yaml.tmpl
var source string

var templates = template.Must(template.New("objects").Parse(source))

// noStatus lists the kinds whose objects have no status, so that servers reject updates of it.
var noStatus = []string{"ConfigMap", "Secret", "Role"}

// smallKinds are the kinds with small objects.
var smallKinds = []string{"Service", "ConfigMap", "Role"}

// documents writes objects as YAML documents, except those of the kinds in leftOut. It calls changed with
// the number of each object, to find out whether the object has the changes of the new config.
func documents(w io.Writer, kinds []string, count int, live bool, changed func(n int) bool, leftOut []string) error {
	for n := range count {
		if slices.Contains(leftOut, kinds[n%len(kinds)]) {
			continue
		}
		if _, err := io.WriteString(w, "---\n"); err != nil {
			return err
		}
		o := object{Kind: kinds[n%len(kinds)], N: n, Live: live, Changed: changed(n)}
		if err := templates.ExecuteTemplate(w, "object", o); err != nil {
			return err
		}
	}
	return nil
}

// objectsOf reads a report in NDJSON. For each object in the report, it returns a function that
// writes a copy of this object on one line. The argument of the function is a number, which
// becomes part of the copy's name.
func objectsOf(reports []byte) (all []func(n int) []byte, err error) {
	lines := bytes.Split(bytes.TrimSpace(reports), []byte("\n"))
	for _, line := range lines[:len(lines)-1] { // the last line is the summary
		var report struct {
			Name   string
			Object json.RawMessage
		}
		if err := json.Unmarshal(line, &report); err != nil {
			return nil, err
		}
		before, after, found := bytes.Cut(report.Object, []byte(`"name":"`+report.Name+`"`))
		if !found {
			return nil, fmt.Errorf("no name in %.200s", line)
		}
		all = append(all, func(n int) []byte {
			return fmt.Appendf(nil, "%s\"name\":\"app-%d\"%s\n", before, n, after)
		})
	}
	return all, nil
}
