// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// parrot returns a server that gives the expected answers to all stories, in their order.
// change modifies the nth answer.
func parrot(t *testing.T, nth int, change func(status int, body string) (int, string)) *httptest.Server {
	t.Helper()
	stories, err := cases.Stories()
	if err != nil {
		t.Fatal(err)
	}
	var steps []cases.Step
	for _, s := range stories {
		steps = append(steps, s.Steps...)
	}
	namespace, n := "", 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "POST" && r.URL.Path == namespaces:
			var made struct{ Metadata struct{ Name string } }
			if err := json.NewDecoder(r.Body).Decode(&made); err != nil || r.Header.Get("Authorization") != "Bearer x" {
				t.Errorf("%v, %v", err, r.Header)
			}
			namespace = made.Metadata.Name
			w.WriteHeader(http.StatusCreated)
		case r.Method == "DELETE" && (r.URL.Path == namespaces+"/"+namespace || strings.HasPrefix(r.URL.Path, definitions)):
		default:
			step := steps[n]
			if want := strings.ReplaceAll(step.Path, "$NS", namespace); r.URL.Path != want {
				t.Errorf("request for %s, want %s", r.URL.Path, want)
			}
			status, body := step.Status, strings.ReplaceAll(string(step.Want), "$NS", namespace)
			if strings.HasPrefix(body, `{"reason"`) || strings.HasPrefix(body, `{"causes"`) {
				body = fmt.Sprintf(`{"kind": "Status", "status": "Failure", "details": %s, %s`, body, body[1:])
			}
			if n == nth {
				status, body = change(status, body)
			}
			n++
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func unchanged(status int, body string) (int, string) { return status, body }

func TestServers(t *testing.T) {
	for _, c := range []struct {
		nth    int
		change func(int, string) (int, string)
		want   string // a text that the report must contain
	}{
		{-1, unchanged, "level 4   22 of 22"},
		{0, func(_ int, body string) (int, string) { return http.StatusTeapot, body }, "status 418"},
		{2, func(status int, body string) (int, string) {
			return status, strings.Replace(body, "ConfigMap", "Other", 1)
		}, "Other"},
	} {
		var b bytes.Buffer
		run := "^http-"
		if c.nth >= 0 {
			run = "^http-client-side"
		}
		failed, err := job{run: run, format: "text", access: access{token: "x"}}.conform(&b, []string{"it=" + parrot(t, c.nth, c.change).URL})
		if err != nil || failed != (c.nth >= 0) || !strings.Contains(b.String(), c.want) {
			t.Errorf("changed answer %d: failed %v, error %v; want %q in\n%s", c.nth, failed, err, c.want, &b)
		}
	}
}

// TestRecord records a server that gives the expected answers. The written files must equal the
// story files.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	if _, err := (job{run: "^http-", format: "text", records: dir, access: access{token: "x"}}).conform(&bytes.Buffer{}, []string{"it=" + parrot(t, -1, unchanged).URL}); err != nil {
		t.Fatal(err)
	}
	stories, err := cases.Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range stories {
		text, err := os.ReadFile(filepath.Join(dir, want.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var got cases.Story
		if err := cases.Read(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%s", want.Name, err, text)
		}
	}
}

// TestEnginesAndServers checks that an engine gets no cases for servers, and that a server gets
// no cases for engines.
func TestEnginesAndServers(t *testing.T) {
	var b bytes.Buffer
	failed, err := job{run: "^(http-client-side|codec-001)$", format: "text", access: access{token: "x"}}.conform(&b, []string{"it=" + parrot(t, -1, unchanged).URL, implementation(t, "right")})
	if err != nil || failed || strings.Count(b.String(), "0 of 1, 1 not supported") < 4 {
		t.Errorf("%v, %v\n%s", failed, err, &b)
	}
}
