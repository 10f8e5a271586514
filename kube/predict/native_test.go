// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// recorder is a native program that accepts every object and records the last one.
type recorder struct{ object map[string]any }

func (r *recorder) Ask(request *native.Request) (*native.Response, error) {
	r.object = request.Object
	return &native.Response{Object: request.Object}, nil
}

// The native program must get the empty maps and lists of a request, which the form of
// stored objects lacks. It must also get the defaults.
func TestNativeGetsEmptyValues(t *testing.T) {
	text := strings.NewReplacer(`"labels":{"app":"web"}`, `"labels":{}`, `"matchLabels":{"app":"web"}`, `"matchLabels":{}`, `"ports":[{"containerPort":80}]`, `"ports":[]`).Replace(webDeployment)
	for _, verb := range []predict.Verb{predict.Apply, predict.Create, predict.Update} {
		program := &recorder{}
		s := goServer(t)
		s.Native = program
		var live map[string]any
		if verb == predict.Update {
			live = object(t, text)
		}
		done := predictRequest(t, s, verb, "", text, live)
		if got := at(t, done.Object, ".spec.template.spec.containers[0].ports"); got != nil {
			t.Errorf("verb %d: the server stores the empty list of ports, want no ports", verb)
		}
		for path, want := range map[string]string{
			".spec.selector.matchLabels":                        `{}`,
			".spec.template.metadata.labels":                    `{}`,
			".spec.template.spec.containers[0].ports":           `[]`,
			".spec.template.spec.containers[0].imagePullPolicy": `"Always"`,
			".spec.template.spec.volumes":                       `null`,
		} {
			if got := asJSON(t, at(t, program.object, path)); got != want {
				t.Errorf("verb %d: %s is %s, want %s", verb, path, got, want)
			}
		}
	}
}
