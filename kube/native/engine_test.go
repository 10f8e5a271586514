// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// behaviour is the environment variable that makes the test program act as an engine.
const behaviour = "DOVETAIL_NATIVE_TEST"

const greeting = `{"protocol":2,"release":"1.37","kubernetes":"v1.37.2"}`

func TestMain(m *testing.M) {
	how, ok := os.LookupEnv(behaviour)
	if !ok {
		os.Exit(m.Run())
	}
	behave(how)
}

// TestHasProgram compares the list of programs with the folders of their source.
func TestHasProgram(t *testing.T) {
	folders, err := filepath.Glob("[0-9]*")
	if err != nil || !slices.Equal(folders, programs) {
		t.Errorf("programs lists %q, but there are folders for %q, %v", programs, folders, err)
	}
	if HasProgram("1.33") || !HasProgram("1.37") {
		t.Error("want a program for 1.37, and none for 1.33")
	}
}

// behave handles requests like a defective program. The parameter how is the name
// of the defect.
func behave(how string) {
	say := func(line string) { fmt.Println(line) }
	switch how {
	case "no greeting":
		say("usage: something else")
	case "silent":
		time.Sleep(time.Minute)
	case "other protocol":
		say(`{"protocol":1,"release":"1.37"}`)
	case "other release":
		say(`{"protocol":2,"release":"1.36"}`)
	case "ends":
		fmt.Fprintln(os.Stderr, "cannot start: reasons")
		os.Exit(3)
	default:
		say(greeting)
	}
	in := bufio.NewReader(os.Stdin)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch {
		case how == "hangs":
			time.Sleep(time.Minute)
		case how == "garbage":
			say(`{"object":`)
		case how == "nothing":
			say(`{}`)
		case how == "too much":
			say(strings.Repeat("x", 5000))
		case how == "dies", how == "dies on the second" && n == 2:
			fmt.Fprintln(os.Stderr, "fatal error: out of memory")
			os.Exit(2)
		case strings.Contains(line, `"refuse"`):
			say(`{"status":{"code":422,"reason":"Invalid","message":"no","causes":[{"field":"spec","reason":"FieldValueRequired","message":"Required value"}]}}`)
		default:
			say(`{"object":{"n":9007199254740993},"warnings":["w"],"later":1}`)
		}
	}
}

func start(t *testing.T, how string, limits Limits) *Engine {
	t.Helper()
	t.Setenv(behaviour, how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := New(self, "1.37", limits)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func TestAsk(t *testing.T) {
	e := start(t, "", Limits{})
	for range 3 {
		r, err := e.Ask(&Request{Verb: Create, Object: map[string]any{"kind": "ConfigMap"}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Object["n"] != int64(9007199254740993) || len(r.Warnings) != 1 || r.Status != nil {
			t.Fatalf("got %+v", r)
		}
	}
	r, err := e.Ask(&Request{Verb: Create, Object: map[string]any{"kind": "refuse"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status == nil || r.Status.Code != 422 || len(r.Status.Causes) != 1 || r.Object != nil {
		t.Fatalf("got %+v", r)
	}
	if g, err := e.Greeting(); err != nil || g.Kubernetes != "v1.37.2" {
		t.Fatalf("greeting %+v, %v", g, err)
	}
}

// A faulty program must cause an error within the time limit, and must not cause a
// response.
func TestBrokenPrograms(t *testing.T) {
	limits := Limits{Start: 2 * time.Second, Answer: 2 * time.Second, Line: 4096}
	for how, want := range map[string]string{
		"no greeting":    "its first line is not a greeting",
		"silent":         "no answer in time",
		"other protocol": "it has version 1 of the protocol, want 2",
		"other release":  "it has the code of Kubernetes 1.36, want 1.37",
		"ends":           "the program ended; its last output: cannot start: reasons",
		"hangs":          "no answer in time: 2s",
		"garbage":        "its answer is invalid",
		"nothing":        "neither an object nor a status",
		"too much":       "more than 4096 bytes",
		"dies":           "the program ended",
	} {
		t.Run(how, func(t *testing.T) {
			e := start(t, how, limits)
			r, err := e.Ask(&Request{Verb: Create, Object: map[string]any{}})
			var failed *Error
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), want) {
				t.Fatalf("got %v, %v, want an error with %q", r, err, want)
			}
		})
	}
}

// If the program ended after a response, the next request must restart it.
func TestRestart(t *testing.T) {
	e := start(t, "dies on the second", Limits{})
	for n := range 6 {
		if _, err := e.Ask(&Request{Verb: Create, Object: map[string]any{}}); err != nil {
			t.Fatalf("request %d: %v", n, err)
		}
	}
}

func TestLargeRequest(t *testing.T) {
	e := start(t, "", Limits{Line: 1000})
	_, err := e.Ask(&Request{Verb: Create, Object: map[string]any{"text": strings.Repeat("x", 1000)}})
	if err == nil || !strings.Contains(err.Error(), "more than the maximum of 1000") {
		t.Fatalf("got %v", err)
	}
	if _, err := e.Ask(&Request{Verb: Create, Object: map[string]any{}}); err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentRequests(t *testing.T) {
	e := start(t, "", Limits{})
	errs := make(chan error)
	for range 8 {
		go func() {
			_, err := e.Ask(&Request{Verb: Create, Object: map[string]any{}})
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestFind(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, Name("1.37"))
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{folder, program} {
		if found, err := Find("1.37", where); err != nil || found != program {
			t.Errorf("Find in %s: %s, %v", where, found, err)
		}
	}
	t.Setenv("PATH", folder)
	if found, err := Find("1.37", ""); err != nil || found != program {
		t.Errorf("Find on PATH: %s, %v", found, err)
	}
	var missing *NotFoundError
	for _, where := range []string{"", folder, filepath.Join(folder, "none")} {
		if found, err := Find("1.36", where); !errors.As(err, &missing) {
			t.Errorf("Find 1.36 in %q: %s, %v", where, found, err)
		}
	}
}
