// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/merge"
)

// checkMerged compares the merged object with the recorded merged object of the server.
func (w *world) checkMerged(err error) {
	if len(w.step.SMD) == 0 || err != nil {
		return
	}
	c := w.step.SMD[len(w.step.SMD)-1]
	if c.Op != "Apply" || c.Error != "" {
		return
	}
	want := c.OutObject
	if c.OutObjectNil {
		want = nil
	} else {
		want = maps.Clone(want)
		metadata := maps.Clone(want["metadata"].(map[string]any))
		delete(metadata, "managedFields")
		want["metadata"] = metadata
	}
	if !same(w.merged, want) {
		w.differ("merged object", w.merged, want)
	}
}

func (w *world) checkAnswer(live map[string]any, result *fieldmanager.Result, err error) {
	answer := w.step.Response.Body
	if w.step.Response.Status >= 300 {
		w.checkRefusal(err)
		return
	}
	if err != nil {
		w.problems = append(w.problems, "refused: "+err.Error())
		return
	}
	if len(result.Warnings) > 0 {
		w.differ("warnings", result.Warnings, nil)
	}
	ours := result.Object["metadata"].(map[string]any)["managedFields"]
	theirs := answer["metadata"].(map[string]any)["managedFields"]
	if !same(ours, theirs) {
		w.differ("managed fields", ours, theirs)
	}
	object := takeOver(result.Object, answer).(map[string]any)
	// The server sets resourceVersion and generation when it stores the object, so the test
	// copies both. It checks below that the server stored the object if and only if Changed is
	// true.
	metadata := object["metadata"].(map[string]any)
	for _, name := range []string{"resourceVersion", "generation"} {
		if v, ok := answer["metadata"].(map[string]any)[name]; ok {
			metadata[name] = v
		}
	}
	if !same(object, answer) {
		w.differ("object", object, answer)
		for k := range answer {
			if !same(object[k], answer[k]) {
				w.differ("object."+k, object[k], answer[k])
			}
		}
	}
	if live != nil {
		number := func(o map[string]any) any { return o["metadata"].(map[string]any)["resourceVersion"] }
		if stored := number(live) != number(answer); stored != result.Changed {
			w.differ("changed", result.Changed, stored)
		}
		if !result.Changed && reflect.ValueOf(result.Object).Pointer() != reflect.ValueOf(live).Pointer() {
			w.problems = append(w.problems, "unchanged, but another object")
		}
	}
}

// checkRefusal compares an error with the server's error. It ignores a request if the server
// merged it without an error, and rejected it later, in its validation.
func (w *world) checkRefusal(err error) {
	message, _ := w.step.Response.Body["message"].(string)
	mergedFine := len(w.step.SMD) > 0 && w.step.SMD[len(w.step.SMD)-1].Error == "" &&
		(w.step.SMD[len(w.step.SMD)-1].Op == "Apply" || !strings.Contains(w.step.Request.ContentType, "apply-patch"))
	var request *fieldmanager.RequestError
	switch {
	case err == nil && mergedFine:
		return
	case err == nil:
		w.differ("error", nil, message)
		return
	case errors.As(err, &request):
		if request.Status != w.step.Response.Status {
			w.differ("status", request.Status, w.step.Response.Status)
		}
		// The server's message begins with the name of the resource. This package does not
		// know the name.
		_, reason, ok := strings.Cut(err.Error(), "\": ")
		if !ok {
			reason = err.Error()
		}
		if !strings.HasSuffix(message, reason) {
			w.differ("error", err.Error(), message)
		}
		return
	}
	if err.Error() != message {
		w.differ("error", err.Error(), message)
	}
	var conflict *fieldmanager.ConflictError
	details, _ := w.step.Response.Body["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	if !errors.As(err, &conflict) {
		return
	}
	if w.step.Response.Status != 409 {
		w.differ("status", 409, w.step.Response.Status)
	}
	var merged merge.Conflicts
	if !errors.As(err, &merged) || len(merged) != len(conflict.Conflicts) {
		w.differ("merge.Conflicts", len(merged), len(conflict.Conflicts))
	}
	var ours, theirs []string
	for _, c := range conflict.Conflicts {
		ours = append(ours, fmt.Sprintf("conflict with %v %v", c.Owner, c.Path))
		if !c.HasLive && !c.HasYours {
			w.differ("values of "+c.Path.String(), "none", "some")
		}
	}
	for _, c := range causes {
		m := c.(map[string]any)
		theirs = append(theirs, fmt.Sprintf("%v %v", m["message"], m["field"]))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	if !slices.Equal(ours, theirs) {
		w.differ("causes", ours, theirs)
	}
}

func snapshot(objects ...map[string]any) string {
	text, err := json.Marshal(objects)
	if err != nil {
		panic(err)
	}
	return string(text)
}
