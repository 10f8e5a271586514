// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// request is what an implementation is asked: a case without what comes of it.
type request struct {
	cases.Case
	Schema   json.RawMessage          `json:"schema,omitempty"`
	OpenAPI  json.RawMessage          `json:"openapi,omitempty"`
	Versions map[string]cases.Version `json:"versions,omitempty"`
}

// answer is what it says.
type answer struct {
	Name string `json:"name"`
	cases.Want
	Unsupported string `json:"unsupported,omitempty"`
}

// outcome is what became of the cases: why some failed, and why some were not tried.
type outcome struct {
	name                string
	failed, unsupported map[string]string // by the name of the case
	server              bool
}

// leaveOut notes the cases that an implementation of its sort is not asked about.
func (o outcome) leaveOut(groups []cases.Group) {
	for _, g := range groups {
		for _, c := range g.Cases {
			if (c.Level == 4) != o.server {
				o.unsupported[c.Name] = "this is asked of servers"
				if o.server {
					o.unsupported[c.Name] = "this is asked of engines"
				}
			}
		}
	}
}

// most is how long an answer may be, in bytes.
const most = 16 << 20

func ask(name string, command []string, groups []cases.Group) (outcome, error) {
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
	lines.Buffer(nil, most)
	for _, g := range groups {
		for _, c := range g.Cases {
			if !lines.Scan() {
				_ = cmd.Process.Kill() // it may still write
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
				return o, fmt.Errorf("the answer to %s is no JSON: %w", c.Name, err)
			}
			if a.Unsupported != "" {
				o.unsupported[c.Name] = a.Unsupported
			} else if why := judge(c, a); why != "" {
				o.failed[c.Name] = why
			}
		}
	}
	return o, cmd.Wait()
}

// write sends all requests. If the implementation ends, reading its answers tells.
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

// judge says what is wrong with an answer, "" if nothing is.
func judge(c cases.Case, a answer) string {
	if a.Name != c.Name {
		return fmt.Sprintf("the answer is to %q", a.Name)
	}
	return c.Want.Wrong(a.Want)
}
