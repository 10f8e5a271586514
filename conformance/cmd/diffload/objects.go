// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"text/template"
)

// object is what a template sees.
type object struct {
	Kind string
	N    int
	// Live has what a server and its controllers add, Changed what a new config
	// would change.
	Live, Changed bool
}

// kinds are the built-in kinds that objects are made of, in turns.
var kinds = []string{"Deployment", "Service", "ConfigMap", "StatefulSet", "Ingress", "DaemonSet", "Secret", "Job", "HorizontalPodAutoscaler", "Role"}

//go:embed objects.yaml.tmpl
var source string

var templates = template.Must(template.New("objects").Parse(source))

// documents returns count objects, one document each.
func documents(count int, live bool, changed func(n int) bool) ([]byte, error) {
	var out bytes.Buffer
	for n := range count {
		out.WriteString("---\n")
		o := object{Kind: kinds[n%len(kinds)], N: n, Live: live, Changed: changed(n)}
		if err := templates.ExecuteTemplate(&out, "object", o); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
