// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Story is a case of level 4: a series of requests to a server. Each run of a story uses its own
// namespace. In paths, bodies and answers, $NS stands for the name of that namespace.
type Story struct {
	Name  string   `json:"name"`
	About string   `json:"about"`
	Rules []string `json:"rules,omitempty"` // the rules that the story demonstrates
	Steps []Step   `json:"steps"`
}

// Step is a request and the expected answer.
type Step struct {
	About string `json:"about"`
	// Do is the kind of the request: create, update, get, delete, await, or one of the four
	// kinds of patch (apply, merge, strategic, json). An await step repeats a get until the
	// answer has the expected status and contains Want.
	Do    string            `json:"do"`
	Path  string            `json:"path"`
	Query map[string]string `json:"query,omitempty"`
	// Body is the body of the request. "$RV" in it stands for the resourceVersion in the answer
	// to the previous step.
	Body json.RawMessage `json:"body,omitempty"`

	Status int `json:"status"`
	// Want is the body of the expected answer, as Settled returns it.
	Want json.RawMessage `json:"want,omitempty"`
}

// Stories returns the cases of level 4.
func Stories() ([]Story, error) {
	entries, err := files.ReadDir("testdata/http")
	if err != nil {
		return nil, err
	}
	var all []Story
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("testdata/http", e.Name()))
		if err != nil {
			return nil, err
		}
		var s Story
		if err := Read(text, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		for i := range s.Steps {
			if s.Steps[i].Want, err = canonical(s.Steps[i].Want); err != nil {
				return nil, fmt.Errorf("%s: step %d: %w", e.Name(), i+1, err)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// canonical encodes JSON again in the format that Settled uses, so that an expected answer can be
// compared with an actual one byte by byte.
func canonical(text json.RawMessage) (json.RawMessage, error) {
	if text == nil {
		return nil, nil
	}
	var v any
	if err := Read(text, &v); err != nil {
		return nil, err
	}
	return compact(v)
}

// Write returns the contents of the story's file, with one step per line.
func (s Story) Write() ([]byte, error) {
	var b bytes.Buffer
	head, err := compact(Story{Name: s.Name, About: s.About, Rules: s.Rules})
	if err != nil {
		return nil, err
	}
	b.Write(bytes.TrimSuffix(head, []byte("null}")))
	b.WriteString("[\n")
	for i, step := range s.Steps {
		text, err := compact(step)
		if err != nil {
			return nil, err
		}
		b.Write(text)
		if i < len(s.Steps)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

// unsettled matches times, which differ from run to run.
var unsettled = regexp.MustCompile(`"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"`)

// Settled returns the body of an answer in a form that does not differ between servers or between
// runs. It replaces each time by TIME and the name of the namespace by $NS. It removes each uid,
// resourceVersion and selfLink. It sorts the managed fields by manager, operation, subresource
// and version, because servers sort them by time. If the answer reports a failure, only the
// reason and the sorted causes remain. A cause keeps its message only if it is a conflict. The
// result is nil if there is no body.
func Settled(body []byte, namespace string) (json.RawMessage, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	text := strings.ReplaceAll(string(body), namespace, "$NS")
	var v any
	if err := Read([]byte(unsettled.ReplaceAllString(text, `"TIME"`)), &v); err != nil {
		return nil, err
	}
	object, _ := v.(map[string]any)
	if object["kind"] == "Status" && object["status"] == "Failure" {
		v = failure(object)
	} else if object["kind"] == "Status" {
		v = nil // the answer to a delete is a Success status, which stories do not compare
	} else {
		removeServerMetadata(object)
	}
	return compact(v)
}

// failure returns a copy of a failed request's Status that contains only what stories compare:
// the reason and the causes.
func failure(status map[string]any) map[string]any {
	short := map[string]any{}
	if status["reason"] != nil {
		short["reason"] = status["reason"]
	}
	details, _ := status["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	for i := range causes {
		if cause, _ := causes[i].(map[string]any); cause["reason"] != "FieldManagerConflict" {
			delete(cause, "message")
		}
	}
	if len(causes) > 0 {
		slices.SortStableFunc(causes, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		short["causes"] = causes
	}
	return short
}

func removeServerMetadata(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	for _, name := range []string{"uid", "resourceVersion", "selfLink"} {
		delete(metadata, name)
	}
	managed, _ := metadata["managedFields"].([]any)
	slices.SortStableFunc(managed, func(a, b any) int { return strings.Compare(ownerOf(a), ownerOf(b)) })
	if items, _ := object["items"].([]any); items != nil {
		for _, item := range items {
			item, _ := item.(map[string]any)
			removeServerMetadata(item)
		}
	}
}

func ownerOf(entry any) string {
	e, _ := entry.(map[string]any)
	return fmt.Sprint(e["manager"], " ", e["operation"], " ", e["subresource"], " ", e["apiVersion"])
}
