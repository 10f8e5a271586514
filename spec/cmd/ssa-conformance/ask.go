// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

// request is what an implementation is asked.
type request struct {
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`
	OpenAPI json.RawMessage `json:"openapi"`
	Op      string          `json:"op"`
	Manager string          `json:"manager"`
	Force   bool            `json:"force"`
	Live    any             `json:"live"`
	Owners  []cases.Owner   `json:"owners"`
	Object  any             `json:"object"`
}

// answer is what it says.
type answer struct {
	Name string `json:"name"`
	cases.Want
	Error       string `json:"error"`
	Unsupported string `json:"unsupported"`
}

// outcome is what became of the cases: why some failed, and why some were not tried.
type outcome struct {
	name                string
	failed, unsupported map[string]string // by the name of the case
}

// most is how long an answer may be, in bytes.
const most = 16 << 20

func ask(name string, command []string, groups []cases.Group) (outcome, error) {
	o := outcome{name, map[string]string{}, map[string]string{}}
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
			if e.Encode(request{c.Name, g.Schema, g.OpenAPI, c.Op, c.Manager, c.Force, c.Live, c.Owners, c.Object}) != nil {
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
	switch {
	case a.Name != c.Name:
		return fmt.Sprintf("the answer is to %q", a.Name)
	case a.Error != "":
		return "error: " + a.Error
	}
	if got, want := conflicts(a.Conflicts), conflicts(c.Want.Conflicts); !slices.Equal(got, want) {
		return fmt.Sprintf("conflicts %q, want %q", got, want)
	}
	if len(c.Want.Conflicts) > 0 {
		return ""
	}
	if got, want := plain(a.Object), plain(c.Want.Object); !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("object %s, want %s", text(got), text(want))
	}
	got, err := owners(a.Owners)
	if err != nil {
		return err.Error()
	}
	want, err := owners(c.Want.Owners)
	if err != nil {
		return err.Error()
	}
	if !maps.Equal(got, want) {
		return fmt.Sprintf("owners %s, want %s", shown(got), shown(want))
	}
	return ""
}

func conflicts(list []cases.Conflict) []string {
	all := []string{}
	for _, c := range list {
		var b strings.Builder
		for _, e := range c.Path {
			b.WriteString(" " + string(e))
		}
		all = append(all, c.Manager+b.String())
	}
	slices.Sort(all)
	return all
}

// owners are field sets by manager; the order of their elements says nothing.
func owners(list []cases.Owner) (map[string]string, error) {
	all := map[string]string{}
	for _, o := range list {
		set, err := model.Decode(o.FieldsV1)
		if err != nil {
			return nil, fmt.Errorf("field set of %s: %w", o.Manager, err)
		}
		how := "updated "
		if o.Applied {
			how = "applied "
		}
		all[o.Manager] = how + string(model.Encode(set))
	}
	return all, nil
}

func shown(owners map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(owners)) {
		all = append(all, name+" "+owners[name])
	}
	return "[" + strings.Join(all, "; ") + "]"
}

// plain is a value as JSON has it.
func plain(v any) any {
	var out any
	if err := json.Unmarshal([]byte(text(v)), &out); err != nil {
		panic(err)
	}
	return out
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
