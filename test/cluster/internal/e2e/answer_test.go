// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"
)

func TestNewAnswer(t *testing.T) {
	const (
		one = `{"metadata":{"name":"x","uid":"1ca05e1c-5f94-4996-9e36-bfbb7e766338","resourceVersion":"58","creationTimestamp":"2026-11-20T19:32:17Z","managedFields":[` +
			`{"manager":"b","time":"2026-11-20T19:32:17Z","fieldsV1":{"f:b":{}}},{"manager":"a","time":"2026-11-20T19:32:18Z","fieldsV1":{"f:z":{},"f:a":{}}}]},"spec":{"clusterIP":"10.0.0.7","z":1,"a":2}}`
		two = `{"metadata":{"name":"x","uid":"2ca05e1c-5f94-4996-9e36-bfbb7e766338","resourceVersion":"7","creationTimestamp":"2026-11-21T19:32:17Z","managedFields":[` +
			`{"manager":"a","time":"2026-11-21T19:32:17Z","fieldsV1":{"f:z":{},"f:a":{}}},{"manager":"b","time":"2026-11-21T19:32:17Z","fieldsV1":{"f:b":{}}}]},"spec":{"clusterIP":"10.0.0.99","z":1,"a":2}}`
		order = `{"metadata":{"name":"x","uid":"2ca05e1c-5f94-4996-9e36-bfbb7e766338","resourceVersion":"7","creationTimestamp":"2026-11-21T19:32:17Z","managedFields":[` +
			`{"manager":"a","time":"2026-11-21T19:32:17Z","fieldsV1":{"f:a":{},"f:z":{}}},{"manager":"b","time":"2026-11-21T19:32:17Z","fieldsV1":{"f:b":{}}}]},"spec":{"clusterIP":"10.0.0.99","z":1,"a":2}}`
	)
	answer := func(status int, body string) Answer {
		a, err := NewAnswer(status, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a, b := answer(200, one), answer(200, two); a != b {
		t.Errorf("these answers must be equal, because they differ only in values that always vary:\n%v\n%v", a, b)
	}
	if answer(200, one) == answer(201, one) {
		t.Error("answers with different statuses are equal")
	}
	if answer(200, two) == answer(200, order) {
		t.Error("answers are equal although their FieldsV1 has fields in another order")
	}
	if a := answer(1, "error: not an object at 2026-11-21T19:32:17Z\n"); a.Body != "error: not an object at TIME\n" {
		t.Errorf("got %q", a.Body)
	}
}

func TestScenarios(t *testing.T) {
	all, err := Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no scenarios")
	}
	for _, s := range all {
		if s.Doc == "" || len(s.Steps) == 0 {
			t.Errorf("%s: no description", s.Name)
		}
		for i, step := range s.Steps {
			if step.Note == "" || step.Do == "" || (step.Path == "") == (step.Do != "kubectl") {
				t.Errorf("%s: step %d is not complete: %+v", s.Name, i+1, step)
			}
			if step.Do == "await" && step.Lacks != nil {
				t.Errorf("%s: step %d is an await without an expected text", s.Name, i+1)
			}
		}
	}
}
