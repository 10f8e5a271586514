// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// request is a case as it is sent to the implementation: without the expected result.
type request struct {
	cases.Case
	Schema   json.RawMessage          `json:"schema,omitempty"`
	OpenAPI  json.RawMessage          `json:"openapi,omitempty"`
	Versions map[string]cases.Version `json:"versions,omitempty"`
}

// answer is the implementation's answer to one request.
type answer struct {
	Name string `json:"name"`
	cases.Want
	Unsupported string `json:"unsupported,omitempty"`
}

// outcome holds the results of one implementation: the cases that failed, and the cases that it
// does not support. All other cases passed.
type outcome struct {
	name                string
	failed, unsupported map[string]string // map the name of a case to the reason
	server              bool
}

// leaveOut marks the cases that the implementation cannot run as unsupported: an engine cannot
// run stories, and a server can run only stories.
func (o outcome) leaveOut(groups []cases.Group) {
	for _, g := range groups {
		for _, c := range g.Cases {
			if (c.Level == 4) != o.server {
				o.unsupported[c.Name] = "only for servers"
				if o.server {
					o.unsupported[c.Name] = "only for engines"
				}
			}
		}
	}
}

// maxAnswer is the maximum length of an answer in bytes.
const maxAnswer = 16 << 20

func runCommand(name string, command []string, groups []cases.Group) (outcome, error) {
	o := outcome{name: name, failed: map[string]string{}, unsupported: map[string]string{}}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return o, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return o, err
	}
	if err := cmd.Start(); err != nil {
		return o, err
	}
	go write(in, groups)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxAnswer)
	for _, g := range groups {
		for _, c := range g.Cases {
			if !lines.Scan() {
				_ = cmd.Process.Kill() // after a failure, the implementation may still be writing
				_ = cmd.Wait()
				if err := lines.Err(); err != nil {
					return o, fmt.Errorf("reading the answer to %s: %w", c.Name, err)
				}
				return o, fmt.Errorf("ended before it answered %s: %v", c.Name, cmd.ProcessState)
			}
			var a answer
			if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				return o, fmt.Errorf("the answer to %s %s", c.Name, wrongForm(err))
			}
			if a.Unsupported != "" {
				o.unsupported[c.Name] = a.Unsupported
			} else if why := check(c, a); why != "" {
				o.failed[c.Name] = why
			}
		}
	}
	return o, cmd.Wait()
}

// wrongForm describes the error of decoding an answer.
func wrongForm(err error) string {
	var t *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &t):
		return "is not JSON: " + err.Error()
	case t.Field == "":
		return "has the wrong form: want an object, found a JSON " + t.Value
	}
	return fmt.Sprintf("has the wrong form: the field %s cannot be a JSON %s", t.Field, t.Value)
}

// write sends all requests. If the implementation exits early, write just stops, because the
// code that reads the answers reports the error.
func write(to io.WriteCloser, groups []cases.Group) {
	defer to.Close()
	b := bufio.NewWriter(to)
	defer b.Flush()
	e := json.NewEncoder(b)
	for _, g := range groups {
		for _, c := range g.Cases {
			c.About, c.Rules, c.Want = "", nil, cases.Want{}
			if e.Encode(request{c, g.Schema, g.OpenAPI, g.Versions}) != nil {
				return
			}
		}
		if b.Flush() != nil {
			return
		}
	}
}

// check describes the first difference between an answer and the expected result of a case. It
// returns "" if the answer is correct.
func check(c cases.Case, a answer) string {
	if a.Name != c.Name {
		return fmt.Sprintf("the answer is for the case %q, want %q", a.Name, c.Name)
	}
	return c.Want.Wrong(a.Want)
}
