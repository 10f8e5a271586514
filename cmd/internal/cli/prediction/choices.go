// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
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

// pathChoice is the value of --force-conflicts, --yield or --share. It selects all conflicts,
// or only the conflicts at or below some paths.
type pathChoice struct {
	all   bool
	texts []string
}

func (q *Requests) registerChoices(flags *pflag.FlagSet) {
	add := func(p *pathChoice, name, usage string) {
		flags.Var(p, name, usage)
		flags.Lookup(name).NoOptDefVal = "true"
	}
	add(&q.force, command.ForceFlag, "overwrite the values of all conflicting fields, and take ownership of the fields; with `[=PATH,...]`, do this only at or below the given paths (repeatable)")
	add(&q.yield, command.YieldFlag, "leave all conflicting fields out of the config, so that their owners keep them; with `[=PATH,...]`, do this only at or below the given paths (repeatable)")
	add(&q.share, command.ShareFlag, "apply the live values of all conflicting fields, so that you and the other managers own the fields; with `[=PATH,...]`, do this only at or below the given paths (repeatable)")
}

// String formats the value as it is written on the command line.
func (p *pathChoice) String() string {
	switch {
	case p.all:
		return "true"
	case len(p.texts) > 0:
		return strings.Join(p.texts, ",")
	}
	return ""
}

// Type returns "bool", so that the help shows this flag without a value.
func (p *pathChoice) Type() string { return "bool" }

// Set parses "true", "false", or a list of paths separated by commas.
func (p *pathChoice) Set(text string) error {
	switch text {
	case "true":
		p.all = true
		return nil
	case "false":
		*p = pathChoice{}
		return nil
	}
	for _, path := range splitPaths(text) {
		if err := p.add(path); err != nil {
			return err
		}
	}
	return nil
}

// add adds a path. The path "." stands for the whole object, so it selects all conflicts.
func (p *pathChoice) add(path string) error {
	if path == "." {
		p.all = true
		return nil
	}
	if path == "" || path[0] != '.' && path[0] != '[' && !strings.HasPrefix(path, words.LeftOut) {
		return fmt.Errorf("write a path as in the message about the conflict, such as .spec.replicas, not %q%s", path, dotMissing(path))
	}
	if !slices.Contains(p.texts, path) {
		p.texts = append(p.texts, path)
	}
	return nil
}

// dotMissing returns a hint with the correct path if text is a path without the first dot, or a
// path in the form of kubectl's JSONPath, such as {.spec.replicas}. Otherwise, it returns "".
func dotMissing(text string) string {
	path := "." + strings.TrimPrefix(strings.Trim(text, "{$}"), ".")
	if _, err := fieldpath.ParsePath(path); path == "." || err != nil {
		return ""
	}
	return words.DidYouMean(path)
}

// splitPaths splits a list of paths that are separated by commas. A comma can also be part of a
// name. So splitPaths splits only at a comma that is outside brackets and quotes, and that is
// followed by ".", "[", an ellipsis or the end of the text.
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
		case c == ',' && depth <= 0 && (i+1 == len(text) || text[i+1] == '.' || text[i+1] == '[' || strings.HasPrefix(text[i+1:], words.LeftOut)):
			all = append(all, text[start:i])
			start = i + 1
		}
	}
	return append(all, text[start:])
}

// choiceFlag is a flag that resolves conflicts, together with its value. In a program without a
// command line (see Given), it is an option instead of a flag.
type choiceFlag struct {
	// name is the name of the flag or option that messages use, such as "--yield" or "yield".
	name   string
	choice resolve.Choice
	*pathChoice
}

func (q *Requests) choiceFlags() []choiceFlag {
	if q.asGiven {
		return []choiceFlag{{"yield", resolve.Yield, &q.yield}, {"share", resolve.Share, &q.share}, {"force", resolve.Force, &q.force}}
	}
	return []choiceFlag{{"--" + command.YieldFlag, resolve.Yield, &q.yield}, {"--" + command.ShareFlag, resolve.Share, &q.share}, {"--" + command.ForceFlag, resolve.Force, &q.force}}
}

// checkChoices rejects flags that contradict each other.
func (q *Requests) checkChoices() error {
	all, flags := "", map[string]string{}
	for _, w := range q.choiceFlags() {
		if w.all && all != "" {
			return command.Usagef("%s and %s both apply to all conflicts: add paths to one of them", w.name, all)
		}
		if w.all {
			all = w.name
		}
		for _, text := range w.texts {
			if other := flags[text]; other != "" {
				return command.Usagef("%s is given to both %s and %s: choose one", text, w.name, other)
			}
			flags[text] = w.name
		}
	}
	return nil
}

// Chosen reports whether the flags include --yield, --share, or --force-conflicts with paths.
func (q *Requests) Chosen() bool {
	return q.yield.all || q.share.all || slices.ContainsFunc(q.choiceFlags(), func(w choiceFlag) bool { return len(w.texts) > 0 })
}

// ForcesAll reports whether the request forces all conflicts.
func (q *Requests) ForcesAll() bool { return q.force.all && !q.Chosen() }

// A chosenPath is a path in the value of --force-conflicts, --yield or --share.
type chosenPath struct {
	// name is the name of the flag or option, for messages. text is the path as the user wrote it.
	name, text string
	choice     resolve.Choice
	// matched is set if there is a conflict at this path or below it.
	matched atomic.Bool
	// ends holds the paths of the conflicts that end in text, if text starts with an ellipsis.
	ends sync.Map
}

func (q *Requests) chosenPaths() []*chosenPath {
	var all []*chosenPath
	for _, w := range q.choiceFlags() {
		for _, text := range w.texts {
			all = append(all, &chosenPath{name: w.name, text: text, choice: w.choice})
		}
	}
	return all
}

// choices returns a function that decides how to resolve each conflict of an object. Flags such as
// --yield=.spec.replicas decide first: if several of their paths cover a conflict, the longest path
// wins. The next to decide is a flag without paths, such as --yield. If no flag decides, the
// function returns fallback.
func (m *Requester) choices(t typed.ParseableType, fallback resolve.Choice) resolve.Choices {
	type parsedPath struct {
		*chosenPath
		path fieldpath.Path
	}
	var parsed []parsedPath
	for _, p := range m.paths {
		path, err := t.ParsePath(p.text)
		if err != nil {
			path = nil
		}
		parsed = append(parsed, parsedPath{p, path})
	}
	return resolve.Choices{Choose: func(c *fieldmanager.Conflict) resolve.Choice {
		best, choice := 0, resolve.Refuse
		for _, p := range parsed {
			n := coveredSteps(p.text, p.path, c.Path)
			if n > 0 {
				p.matched.Store(true)
				if strings.HasPrefix(p.text, words.LeftOut) {
					p.ends.Store(c.Path.String(), true)
				}
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
		case m.force.all:
			return resolve.Force
		}
		return fallback
	}}
}

// coveredSteps returns how many elements of the path of a conflict a path of the user covers. It
// returns 0 if the path of the user does not cover the conflict. The argument text is the path as
// the user wrote it. The argument path is its parsed form, or nil if the text cannot be parsed. The
// text can also be a path as short messages show it: with only the values of list keys, and
// possibly without its start.
func coveredSteps(text string, path, conflict fieldpath.Path) int {
	if end, cut := strings.CutPrefix(text, words.LeftOut); cut {
		if end != "" && strings.HasSuffix(words.ShortPath(conflict), end) {
			return len(conflict)
		}
		return 0
	}
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

// checkPaths reports the paths of flags for which there is no conflict. This is usually only a
// warning, because an earlier run may already have resolved the conflict. It is an error if no
// object can have a field at this path.
func (m *Requester) checkPaths(outcomes []*Outcome) error {
	for _, p := range m.paths {
		if p.matched.Load() {
			if err := p.checkEnds(); err != nil {
				return err
			}
			continue
		}
		var at *Outcome
		// If no type has the path, closest is the most helpful error: the error of the type that
		// has the longest part of the path. If several types have an equally long part, closest is
		// preferably the error of a type that has a field with a similar name.
		var closest error
		depth := 0
		for _, o := range outcomes {
			if o.Type.Schema == nil {
				at, closest = nil, nil
				break // an object without a type can have any path
			}
			_, err := o.Type.ParsePath(p.text)
			var bad *typed.PathError
			if err == nil || errors.As(err, &bad) && bad.Atomic {
				at, closest = o, nil
				if len(o.Errors) > 0 {
					break // an invalid object is not merged, so its conflicts are unknown
				}
				if err != nil {
					o.Warn(p.text, fmt.Sprintf("%s has no effect, because there is no conflict at this path; %v conflicts as a whole: use that path", p.name, bad.At))
				} else {
					o.Warn(p.text, fmt.Sprintf("%s has no effect, because there is no conflict at this path", p.name))
				}
				break
			}
			if closest == nil || errors.As(err, &bad) && (len(bad.At) > depth || len(bad.At) == depth && nearestField(closest) == "" && nearestField(err) != "") {
				closest, depth = err, 0
				if bad != nil {
					depth = len(bad.At)
				}
			}
		}
		if at == nil && closest != nil {
			return m.unknownPath(p, closest, outcomes)
		}
	}
	return nil
}

// checkEnds returns an error if the path lacks its start, and several paths of conflicts end in it.
func (p *chosenPath) checkEnds() error {
	var ends []string
	p.ends.Range(func(path, _ any) bool {
		ends = append(ends, path.(string))
		return true
	})
	if len(ends) < 2 {
		return nil
	}
	return command.Usagef("%s: the paths of several conflicts end in %s: write one of these paths instead: %s", p.name, strings.TrimPrefix(p.text, words.LeftOut), words.ShortList(ends))
}

// unknownPath returns an error about a path that no object can have. The error names the field that
// the user probably meant, or the conflict with the most similar path.
func (m *Requester) unknownPath(p *chosenPath, err error, outcomes []*Outcome) error {
	near := nearestField(err)
	if near == "" {
		full := map[string]string{} // the full paths of the conflicts, by their spellings
		for _, o := range outcomes {
			for i := range o.Conflicts {
				path := o.Conflicts[i].Path
				full[path.String()], full[words.ShortPath(path)] = path.String(), path.String()
			}
		}
		near = full[suggest.Nearest(p.text, slices.Collect(maps.Keys(full)))]
	}
	hint := words.DidYouMean(near)
	var bad *typed.PathError
	if errors.As(err, &bad) && strings.Contains(bad.Name, ",") {
		hint = "; if the comma separates two paths, begin the second one with a dot"
	} else if near == "" && !m.asGiven {
		hint = "; --explain shows the path of each conflict"
	}
	return command.Usagef("%s: %v%s", p.name, err, hint)
}

// nearestField returns the path of the declared field that the user probably meant. The argument is
// an error about an undeclared field. If no declared field has a similar name, nearestField returns
// "".
func nearestField(err error) string {
	var bad *typed.PathError
	if errors.As(err, &bad) && bad.Name != "" {
		if name := suggest.Nearest(bad.Name, bad.Fields); name != "" {
			return bad.At.String() + "." + name
		}
	}
	return ""
}
