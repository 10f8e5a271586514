// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
)

// places are the values of a flag that chooses conflicts: all, or those at some
// paths and below.
type places struct {
	all   bool
	texts []string
}

func (q *Requests) registerChoices(flags *pflag.FlagSet) {
	add := func(p *places, name, usage string) {
		flags.Var(p, name, usage)
		flags.Lookup(name).NoOptDefVal = "true"
	}
	add(&q.force, command.ForceFlag, "force: overwrite conflicting fields and take ownership, all of them or with `[=PATH,...]` those at and below these paths (repeatable)")
	add(&q.yield, command.YieldFlag, "yield: leave conflicting fields out of the config, all of them or with `[=PATH,...]` those at and below these paths (repeatable)")
	add(&q.share, command.ShareFlag, "share: apply the live values of conflicting fields, all of them or with `[=PATH,...]` those at and below these paths (repeatable)")
}

// String returns the value as it would be given.
func (p *places) String() string {
	switch {
	case p.all:
		return "true"
	case len(p.texts) > 0:
		return strings.Join(p.texts, ",")
	}
	return ""
}

// Type makes the help show the flag as one that needs no value.
func (p *places) Type() string { return "bool" }

// Set takes a value: true, false, or paths with commas between them.
func (p *places) Set(text string) error {
	switch text {
	case "true":
		p.all = true
		return nil
	case "false":
		*p = places{}
		return nil
	}
	for _, path := range splitPaths(text) {
		if path == "" || path[0] != '.' && path[0] != '[' {
			return fmt.Errorf("want paths as conflicts show them, such as .spec.replicas, found %q%s", path, dotMissing(path))
		}
		if !slices.Contains(p.texts, path) {
			p.texts = append(p.texts, path)
		}
	}
	return nil
}

func dotMissing(path string) string {
	if _, err := fieldpath.ParsePath("." + path); path == "" || err != nil {
		return ""
	}
	return words.DidYouMean("." + path)
}

// splitPaths splits paths at the commas between them: those that stand in no
// brackets and no quotes, and have a path after them. A name may hold others.
func splitPaths(text string) []string {
	var all []string
	start, depth, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth <= 0 && (i+1 == len(text) || text[i+1] == '.' || text[i+1] == '['):
			all = append(all, text[start:i])
			start = i + 1
		}
	}
	return append(all, text[start:])
}

// way is a flag that resolves conflicts, with its value.
type way struct {
	flag   string
	choice resolve.Choice
	*places
}

func (q *Requests) ways() []way {
	return []way{{command.YieldFlag, resolve.Yield, &q.yield}, {command.ShareFlag, resolve.Share, &q.share}, {command.ForceFlag, resolve.Force, &q.force}}
}

// checkChoices rejects flags that contradict each other.
func (q *Requests) checkChoices() error {
	all, flags := "", map[string]string{}
	for _, w := range q.ways() {
		if w.all && all != "" {
			return command.Usagef("--%s and --%s both apply to all conflicts: give one of them paths", w.flag, all)
		}
		if w.all {
			all = w.flag
		}
		for _, text := range w.texts {
			if other := flags[text]; other != "" {
				return command.Usagef("%s is given with --%s and with --%s: choose one", text, w.flag, other)
			}
			flags[text] = w.flag
		}
	}
	return nil
}

// Chosen reports whether flags resolve conflicts in other ways than to force all.
func (q *Requests) Chosen() bool {
	return q.yield.all || q.share.all || slices.ContainsFunc(q.ways(), func(w way) bool { return len(w.texts) > 0 })
}

// ForcesAll reports whether the request forces all conflicts.
func (q *Requests) ForcesAll() bool { return q.force.all && !q.Chosen() }

// A chosenPath is a path that was given, and what came of it.
type chosenPath struct {
	flag, text string
	choice     resolve.Choice
	// matched says that something conflicts there.
	matched atomic.Bool
}

func (q *Requests) chosenPaths() []*chosenPath {
	var all []*chosenPath
	for _, w := range q.ways() {
		for _, text := range w.texts {
			all = append(all, &chosenPath{flag: w.flag, text: text, choice: w.choice})
		}
	}
	return all
}

// choices are those for objects of a type: of the paths that lead to a conflict the
// longest counts, then what was said of all. force is said of what is left.
func (m *Requester) choices(t typed.ParseableType, force bool) resolve.Choices {
	type reading struct {
		*chosenPath
		path fieldpath.Path
	}
	var readings []reading
	for _, p := range m.paths {
		path, err := t.ParsePath(p.text)
		if err != nil {
			path = nil
		}
		readings = append(readings, reading{p, path})
	}
	return resolve.Choices{Choose: func(c *fieldmanager.Conflict) resolve.Choice {
		best, choice := 0, resolve.Refuse
		for _, p := range readings {
			n := covers(p.text, p.path, c.Path)
			if n > 0 {
				p.matched.Store(true)
			}
			if n > best {
				best, choice = n, p.choice
			}
		}
		switch {
		case best > 0:
			return choice
		case m.yield.all:
			return resolve.Yield
		case m.share.all:
			return resolve.Share
		case force || m.force.all:
			return resolve.Force
		}
		return resolve.Refuse
	}}
}

// covers says how much of the path of a conflict a given path is: one that reads
// the same, however it is to be understood, or that the type knows as that. 0 is
// none.
func covers(text string, path, conflict fieldpath.Path) int {
	if n := len(path); n > 0 && n <= len(conflict) && conflict[:n].Equals(path) {
		return n
	}
	for n := len(conflict); n > 0; n-- {
		if conflict[:n].String() == text || words.ShortPath(conflict[:n]) == text {
			return n
		}
	}
	return 0
}

// checkPaths is about the paths that were given and lead to no conflict. One that
// no object can have is an error. One that conflicts with nothing is not, since it
// conflicts no more when a command is given again: there is a warning.
func (m *Requester) checkPaths(outcomes []*Outcome) error {
	for _, p := range m.paths {
		if p.matched.Load() {
			continue
		}
		var at *Outcome
		var first error
		for _, o := range outcomes {
			if o.Type.Schema == nil {
				at, first = nil, nil
				break // its type is not known, nor what it may have
			}
			_, err := o.Type.ParsePath(p.text)
			var bad *typed.PathError
			if err == nil || errors.As(err, &bad) && bad.Atomic {
				at, first = o, nil
				if err != nil {
					o.Warn(p.text, fmt.Sprintf("--%s: no conflict at that path, since %v conflicts as a whole: give that path", p.flag, bad.At))
				} else {
					o.Warn(p.text, fmt.Sprintf("--%s: no conflict at that path", p.flag))
				}
				break
			}
			if first == nil {
				first = err
			}
		}
		if at == nil && first != nil {
			return unknownPath(p, first)
		}
	}
	return nil
}

func unknownPath(p *chosenPath, err error) error {
	hint := ""
	var bad *typed.PathError
	if errors.As(err, &bad) && bad.Name != "" {
		if name := suggest.Nearest(bad.Name, bad.Fields); name != "" {
			hint = words.DidYouMean(bad.At.String() + "." + name)
		}
	}
	return command.Usagef("--%s: %v%s", p.flag, err, hint)
}
