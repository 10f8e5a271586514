// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// verdict holds the phrases with which a command sums up objects without problems. The fields
// changed and unchanged are for a run with a single object. The fields change and stay are for
// several objects, and follow their number.
type verdict struct {
	changed, unchanged string
	change, stay       counted
}

// counted is a phrase that follows a number. The first string is for one object, and the second is
// for several.
type counted [2]string

func (c counted) of(n int) string {
	if n == 1 {
		return c[0]
	}
	return c[1]
}

func same(phrase string) counted { return counted{phrase, phrase} }

var verdicts = map[string]verdict{
	"diff":      {"would change", "would not change", counted{"changes", "change"}, counted{"stays as it is", "stay as they are"}},
	"apply":     {"would change", "would not change", same("would change"), counted{"would stay as it is", "would stay as they are"}},
	"update":    {"would change", "would not change", same("would change"), counted{"would stay as it is", "would stay as they are"}},
	"default":   {"defaults are filled in", "no default is missing", counted{"gets defaults", "get defaults"}, counted{"has all defaults", "have all defaults"}},
	"validate":  {"", "valid", same(""), same("valid")},
	"immutable": {"", "the change is allowed", same(""), same("allowed")},
	"migrate":   {"managed fields change", "managed fields stay as they are", counted{"changes", "change"}, counted{"stays as it is", "stay as they are"}},
	"extract":   {"", "extracted", same(""), same("extracted")},
	"owners":    {"", "", same(""), same("")},
	"doctor":    {"repaired", "nothing found", same("repaired"), same("without findings")},
}

// close writes the end of the output on a terminal: first the advice, such as how to resolve
// conflicts, and then a sentence that sums up the objects.
func (s *Summary) close(r *command.Run, conflicts int, severities [3]int) {
	w := r.Closing()
	paint := func(colour int, text string) string {
		if !r.Env.ErrColour {
			return text
		}
		return words.Paint(colour, text)
	}
	say := func(text string) { fmt.Fprintln(w, text) }
	if len(s.advice) > 0 {
		say("")
	}
	width := words.LineWidth
	if r.Env.ErrWidth > 0 {
		width = max(width, r.Env.ErrWidth)
	}
	for _, line := range s.advice {
		if strings.HasPrefix(line, " ") {
			say(words.OneLine(line)) // may be a table or a command, so do not wrap the line
			continue
		}
		for _, part := range words.Wrap(words.OneLine(line), width) {
			say(part)
		}
	}
	if len(s.advice) > 0 || s.Objects > 1 {
		say("")
	}
	s.list(r, func(line string) { say("  " + words.OneLine(line)) })
	colour := words.Green
	if conflicts+s.Refused+s.Invalid+s.Unread > 0 || severities[2] > 0 {
		colour = words.Red
	} else if s.Warned+s.Found > 0 {
		colour = words.Yellow
	}
	text, about := s.verdict(r, severities), ""
	if conflicts > 0 {
		about = s.conflictsByManager(conflicts)
	}
	if head, rest, found := strings.Cut(text, ": conflicts"); found && about != "" && s.Objects == 1 {
		text, about = head+": "+strings.TrimSuffix(about, ".")+rest, ""
	} else if text != "" && about != "" && s.Objects == 1 {
		text, about = strings.TrimSuffix(text, ".")+": "+about, ""
	}
	if text != "" {
		say(paint(colour, words.OneLine(text)))
	}
	if about != "" {
		say(paint(words.Red, words.OneLine(about)))
	}
}

// verdict returns the sentence that sums up the objects.
func (s *Summary) verdict(r *command.Run, severities [3]int) string {
	name := r.Name
	v, known := verdicts[name]
	if name == "validate" && r.SimpleRules() {
		v.unchanged, v.stay = "no errors found", same("without errors")
	}
	if !known {
		v = verdicts["lint"]
		v.unchanged, v.stay = "nothing found", same("nothing found")
	}
	var parts []string
	part := func(n int, text string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, text))
		}
	}
	problems := s.Refused + s.Invalid + s.Unread + severities[0] + severities[1] + severities[2]
	if s.Objects == 1 && problems == 0 {
		head := s.only
		if head == "" {
			head = "1 object"
		}
		text := v.unchanged
		switch {
		case name == "owners":
			text = s.ownedFields()
		case s.Conflicting > 0:
			text = "conflicts"
		case s.Created > 0:
			text = "new"
		case s.Changed > 0 && v.changed != "":
			text = v.changed
		}
		switch {
		case s.Warned > 0 && s.Conflicting > 0:
			text += "; there are also warnings"
		case s.Warned > 0:
			text += ", with warnings"
		}
		return head + ": " + text + "."
	}
	if s.Created == s.Objects && s.Created > 0 {
		parts = append(parts, "all new")
	} else {
		part(s.Created, "new")
	}
	if n := s.Changed - s.Created - s.inConflict; v.change.of(n) != "" {
		part(n, v.change.of(n))
	}
	switch {
	case v.stay.of(s.Unchanged) == "":
	case s.Unchanged == s.Objects && name == "validate" && r.SimpleRules():
		parts = append(parts, v.unchanged)
	case s.Unchanged == s.Objects && s.Objects > 1:
		parts = append(parts, "all "+v.stay.of(s.Objects))
	default:
		part(s.Unchanged, v.stay.of(s.Unchanged))
	}
	part(s.Conflicting, "with conflicts")
	part(s.Refused, "refused")
	part(s.Invalid, "invalid")
	part(s.Warned, "with warnings")
	if s.Unread > 0 {
		parts = append(parts, s.otherErrors())
	}
	if text := Severities(severities); text != "" {
		parts = append(parts, text)
	}
	head := words.Count(s.Objects, "object")
	switch {
	case s.Objects == 0 && len(parts) == 0:
		return ""
	case s.Objects == 0:
		return strings.Join(parts, ", ") + "."
	case len(parts) == 0 && name == "owners":
		return head + ": " + s.ownedFields() + "."
	case len(parts) == 0:
		return head + ": " + v.stay.of(s.Objects) + "."
	}
	return head + ": " + strings.Join(parts, ", ") + "."
}

// ownedFields returns a sentence that counts the managers and their fields.
func (s *Summary) ownedFields() string {
	fields := 0
	for _, m := range s.FieldsByManager {
		fields += m.Count
	}
	text := words.Count(len(s.FieldsByManager), "manager")
	if len(s.FieldsByManager) == 1 {
		return text + " owns " + words.Count(fields, "field")
	}
	return text + " own " + words.Count(fields, "field")
}

// conflictsByManager returns the sentence that sums up the conflicts.
func (s *Summary) conflictsByManager(conflicts int) string {
	const most = 4
	var with []string
	for i, c := range s.ConflictsByOwner {
		if i == most && len(s.ConflictsByOwner) > most+1 {
			with = append(with, fmt.Sprintf("and %d more owners", len(s.ConflictsByOwner)-i))
			break
		}
		text := "with " + words.Manager(c.Manager)
		if len(s.ConflictsByOwner) > 1 {
			text = fmt.Sprintf("%d %s", c.Count, text)
		}
		with = append(with, text)
	}
	head := words.Count(conflicts, "conflict")
	if len(with) == 1 {
		return head + " " + with[0] + "."
	}
	return head + ": " + strings.Join(with, ", ") + "."
}

// adviser collects advice for the user about all objects of a run.
type adviser struct {
	conflicts, cleared, immutable int
	// unforceable is the number of conflicts that force cannot resolve, because the field is immutable.
	unforceable int
	cut         bool
	migrations  []migrationOf
	// notes holds hints about conflicts, without repetitions.
	notes []string
}

// migrationOf is a command that transfers the fields of a manager. The text why explains when to
// run it.
type migrationOf struct {
	why string
	prediction.Migration
}

// add adds advice about the problems of an object.
func (a *adviser) add(o *prediction.Outcome) {
	a.immutable += len(o.Immutable)
	for i := range o.Conflicts {
		c := &o.Conflicts[i]
		a.conflicts++
		if o.Resolution(resolve.Force).Immutable(c.Path) != nil {
			a.unforceable++
		}
		if c.Cleared {
			a.cleared++
		}
		if m := migration(o, c); m != nil {
			a.addMigration(migrationReason(o, c), m)
		}
		if note := otherSpelling(c); note != "" && !slices.Contains(a.notes, note) {
			a.notes = append(a.notes, note)
		}
	}
	for _, m := range o.Migrations {
		a.addMigration(m.Purpose(), m)
	}
}

// addMigration adds a migration. If the advice already has a migration of the same managers,
// addMigration adds the objects to that migration instead.
func (a *adviser) addMigration(why string, m *prediction.Migration) {
	for i := range a.migrations {
		if a.migrations[i].Join(m) {
			return
		}
	}
	a.migrations = append(a.migrations, migrationOf{why, *m})
}

// migrationLines returns the advice about migrations.
func (a *adviser) migrationLines() (lines []string) {
	for _, m := range a.migrations {
		lines = append(lines, m.why, "  "+m.String())
	}
	return lines
}

// lines returns the advice. The argument chooses is true if the command has flags that resolve
// conflicts. The argument explains is true if the messages were short. In this case, the advice
// mentions --explain.
func (a *adviser) lines(chooses, explains bool) (lines []string) {
	if a.conflicts > 0 && chooses && explains {
		force := "  force  --" + command.ForceFlag + "  overwrite the live values and take ownership"
		switch a.unforceable {
		case 0:
		case a.conflicts:
			force = "  force  not possible, because the fields are immutable"
		default:
			force += "; not possible for immutable fields"
		}
		lines = append(lines,
			"Ways to resolve conflicts:",
			force,
			"  yield  --"+command.YieldFlag+"            leave the fields out of your config",
			"  share  --"+command.ShareFlag+"            apply the live values, so that you own them too",
			"To choose for individual fields, add their paths: --"+command.YieldFlag+"=PATH,...")
	}
	lines = append(append(lines, a.migrationLines()...), a.notes...)
	if a.immutable > 0 {
		lines = append(lines, "Immutable fields: keep the live values, or delete the object and create it again.")
	}
	switch {
	case !explains:
	case a.conflicts > 0:
		lines = append(lines, "To see every conflict in full, and the config for each choice, add --explain.")
	case a.cut:
		lines = append(lines, "Some values are shortened. To see them in full, add --explain.")
	}
	return lines
}
