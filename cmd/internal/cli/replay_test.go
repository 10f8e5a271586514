// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
	"github.com/dovetail-ssa/dovetail/internal/fixture"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

var (
	rounds = flag.Int("rounds", 1, "number of times that each script is replayed with corrupted files")
	part   = flag.Int("part", 3, "replay one of this many scripts, and mutate fewer objects accordingly; 1 is all of them")
	seed   = flag.Uint64("seed", 0, "seed of the random numbers")
)

// script is a script of testdata/script. It holds the files of the script, and the lines that run
// commands or copy their output.
type script struct {
	name  string
	files []fixture.File
	lines [][]string
}

// runs reports whether a line of the script runs the command with a name.
func (s script) runs(name string) bool {
	return slices.ContainsFunc(s.lines, func(line []string) bool { return line[0] == "dovetail" && line[1] == name })
}

func scripts(t testing.TB) (all []script) {
	t.Helper()
	names, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(names) < 50 {
		t.Fatalf("%d scripts, %v", len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a, err := fixture.ParseArchive(text)
		if err != nil {
			t.Fatal(err)
		}
		s := script{name: name, files: a.Files}
		for line := range strings.Lines(a.Comment) {
			words := splitWords(strings.TrimPrefix(strings.TrimSpace(line), "! "))
			if len(words) > 1 && words[1] == "serve" {
				continue // serve runs other programs, and may never end
			}
			if len(words) > 1 && words[0] == "dovetail" || len(words) == 3 && words[0] == "cp" && words[1] == "stdout" {
				s.lines = append(s.lines, words)
			}
		}
		if len(s.lines) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// splitWords splits a line as testscript does, but expands no variables.
func splitWords(line string) (words []string) {
	for _, m := range word.FindAllString(line, -1) {
		words = append(words, strings.ReplaceAll(m, "'", ""))
	}
	return words
}

var word = regexp.MustCompile(`(?:'[^']*'|[^\s'])+`)

// escapes matches the escape sequences that set colors.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// commandFlag is a flag of a command. kind is the type of its value, or "" if the flag needs no
// value. allowed lists the values that the flag accepts, or is nil if the help does not list them.
type commandFlag struct {
	name, kind string
	allowed    []string
	// paths reports whether the values of the flag are paths of fields.
	paths bool
}

// commandFlags returns the flags of each command.
func commandFlags(t testing.TB) map[string][]commandFlag {
	t.Helper()
	flags := map[string][]commandFlag{}
	for _, c := range commands() {
		if name := c.Name(); c.HasParent() && !c.Parent().HasParent() && name != "help" && name != "completion" && name != "man" && name != "serve" && name != "playground" {
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if f.Name == "help" || f.Name == "help-all" {
					return
				}
				flag := commandFlag{name: "--" + f.Name}
				if f.NoOptDefVal == "" {
					flag.kind = f.Value.Type()
				}
				flag.paths = strings.Contains(f.Usage, "[=PATH")
				flag.allowed = f.Annotations[command.ValuesAnnotation]
				flags[name] = append(flags[name], flag)
			})
		}
	}
	if len(flags) < 15 {
		t.Fatalf("only %d commands", len(flags))
	}
	return flags
}

// replay runs scripts after it has corrupted their files, and has changed flags and arguments at
// random.
type replay struct {
	*testing.T
	r     *rand.Rand
	dir   string
	flags map[string][]commandFlag
	// texts holds the current contents of the files.
	texts map[string]string
	// names lists the names of files that may become values of flags, in order.
	names []string
	// runs counts commands by name and exit status. used counts flags.
	runs map[string]map[int]int
	// ends holds the documented exit statuses of commands.
	ends map[program.Ending]bool
	used map[string]int
	// must is a flag that every run of the command mustCommand gets, or nil.
	must        *commandFlag
	mustCommand string
}

func newReplay(t *testing.T, flags map[string][]commandFlag) *replay {
	ends, err := program.Statuses("../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	return &replay{T: t, dir: t.TempDir(), flags: flags, ends: ends, runs: map[string]map[int]int{}, used: map[string]int{}}
}

// script runs the commands of s with random changes.
func (p *replay) script(s script, r *rand.Rand) {
	p.r, p.texts, p.names = r, map[string]string{}, nil
	oneIn := (1 + r.IntN(6)) * len(s.files)
	for _, f := range s.files {
		p.put(f.Name, p.corrupt(f.Text, oneIn))
	}
	stdout := ""
	for _, line := range s.lines {
		if line[0] == "cp" {
			p.put(line[2], p.corrupt(stdout, 8))
			continue
		}
		stdout = p.command(line[1:])
	}
}

// put writes a file.
func (p *replay) put(name, text string) {
	if strings.ContainsAny(name, "/\\") {
		return
	}
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	if _, known := p.texts[name]; !known {
		p.names = append(p.names, name)
	}
	p.texts[name] = text
}

// corrupt returns text with random mistakes. On average, it makes mistakes in one of oneIn
// calls. In the other calls, it returns text unchanged.
func (p *replay) corrupt(text string, oneIn int) string {
	if p.r.IntN(oneIn) > 0 || text == "" {
		return text
	}
	if p.r.IntN(3) == 0 {
		return p.corruptBytes(text)
	}
	values, err := manifest.ReadValues("file", []byte(text))
	if err != nil || len(values) == 0 {
		return p.corruptBytes(text)
	}
	i := p.r.IntN(len(values))
	if m, ok := values[i].(map[string]any); ok {
		values[i] = mutate(p.r, m)
	}
	var out bytes.Buffer
	for _, v := range values {
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		write := yaml.Marshal
		if p.r.IntN(3) == 0 {
			write = json.Marshal
		}
		text, err := write(v)
		if err != nil {
			p.Fatal(err)
		}
		out.Write(text)
		out.WriteString("\n")
	}
	return out.String()
}

// corruptBytes deletes, duplicates and inserts parts of a text at random.
func (p *replay) corruptBytes(text string) string {
	for range 1 + p.r.IntN(3) {
		from := p.r.IntN(len(text) + 1)
		to := min(len(text), from+p.r.IntN(1+len(text)/4))
		switch p.r.IntN(4) {
		case 0:
			text = text[:from] + text[to:]
		case 1:
			text = text[:to] + text[from:to] + text[to:]
		case 2:
			text = text[:from] + hostile[p.r.IntN(len(hostile))] + text[from:]
		case 3:
			lines := strings.SplitAfter(text, "\n")
			i, j := p.r.IntN(len(lines)), p.r.IntN(len(lines))
			lines[i] = lines[j]
			text = strings.Join(lines, "")
		}
	}
	return text
}

// values lists values for flags that accept no files.
var values = map[string][]string{
	"--field-manager": {"a", "b", "m1", "helm", "kubectl", "x"},
	"--from":          {"a", "helm", "kubectl-client-side-apply", "m1"},
	"--to":            {"b", "kubectl", "helm"},
	"--time":          {"2026-03-01T10:00:00Z", "2026-12-01T00:00:00+02:00"},
	"--subresource":   {"status", "scale"},
	"--operation":     {"Apply", "Update", "update"},
	"--stale":         {"90d", "1h"},
	"--type":          {"App", "app", "io.k8s.api.core.v1.Service", "io.ex.v1.App", "port"},
}

// paths lists values for flags that accept paths of fields.
var paths = []string{".spec", ".spec.replicas", "spec", ".", "..x", "", ",", `.spec.ports[port=80,protocol="TCP"].name,.spec.image`, ".spec.env[name=A]",
	`.spec.tags[="a,b"]`, ".spec.env[0]", ".spec.env[", `.metadata.labels.a\.b`, ".spec.strategy.rollingUpdate", ".metadata"}

const page = "page.html"

// value returns a random value for a flag.
func (p *replay) value(f commandFlag) string {
	switch list := values[f.name]; {
	case f.name == "--baseline": // lint also writes to this file
		return "none/known.json"
	case p.r.IntN(25) == 0:
		return hostile[p.r.IntN(len(hostile))]
	case f.name == "--html":
		return []string{"-", page, page, "none/page.html"}[p.r.IntN(4)]
	case f.allowed != nil && p.r.IntN(12) > 0:
		return f.allowed[p.r.IntN(len(f.allowed))]
	case list != nil:
		return list[p.r.IntN(len(list))]
	case f.kind == "stringArray" || f.name == "--schema":
		fit := slices.DeleteFunc(slices.Clone(p.names), func(name string) bool { return !isFor(f.name, p.texts[name]) })
		if len(fit) == 0 || p.r.IntN(12) == 0 {
			fit = append(fit, "-")
			fit = append(fit, p.names...)
		}
		return fit[p.r.IntN(len(fit))]
	}
	return "1"
}

// isFor reports whether a file with the given text is probably meant for a flag.
func isFor(flag, text string) bool {
	document := strings.Contains(text, "openapi:") || strings.Contains(text, `"openapi"`) || strings.Contains(text, `"swagger"`)
	types := strings.HasPrefix(text, "types:") || strings.HasPrefix(text, "declarativeDefaults:")
	definition := strings.Contains(text, "kind: CustomResourceDefinition")
	switch flag {
	case "--crd", "--old-crd", "--new-crd":
		return definition
	case "--openapi":
		return document
	case "--schema":
		return types
	case "--defaults":
		return !definition && !types && !strings.Contains(text, "kind:")
	}
	return strings.Contains(text, "kind:") && !document && !definition
}

// changeFlags returns args after it has removed some flags and added others.
func (p *replay) changeFlags(args []string) []string {
	args = slices.Clone(args)
	flags := p.flags[args[0]]
	for range max(0, p.r.IntN(5)-1) {
		switch {
		case len(args) > 1 && p.r.IntN(8) == 0:
			i := 1 + p.r.IntN(len(args)-1)
			end := i + 1
			if strings.HasPrefix(args[i], "-") && end < len(args) && !strings.HasPrefix(args[end], "-") && p.r.IntN(10) > 0 {
				end++ // skip the value of the flag
			}
			args = slices.Delete(args, i, end)
		case len(flags) > 0:
			f := flags[p.r.IntN(len(flags))]
			if (f.name == "--schema" || f.name == "--type") && p.r.IntN(4) > 0 {
				continue // these flags make most commands fail
			}
			if args = append(args, f.name); f.kind != "" {
				args = append(args, p.value(f))
			} else if f.paths && p.r.IntN(3) > 0 {
				args[len(args)-1] += "=" + paths[p.r.IntN(len(paths))]
			}
		}
	}
	if p.must != nil && p.mustCommand == args[0] {
		args = append(args, p.must.name)
		if p.must.kind != "" {
			args = append(args, p.value(*p.must))
		}
	}
	if p.r.IntN(40) == 0 {
		args = append(args, hostile[p.r.IntN(len(hostile))])
	}
	return args
}

// command runs one command line. It checks the exit status and the output.
func (p *replay) command(args []string) (stdout string) {
	stdin := ""
	if n := len(args); n >= 2 && args[n-2] == "<" {
		stdin, args = p.texts[args[n-1]], args[:n-2]
	} else if len(p.names) > 0 {
		stdin = p.texts[p.names[p.r.IntN(len(p.names))]]
	}
	if strings.HasPrefix(args[0], "-") || p.flags[args[0]] == nil {
		return "" // --help, or not a command
	}
	args = p.changeFlags(args)
	const before = "what was there before\n"
	p.put(page, before)
	delete(p.texts, page)
	p.names = slices.DeleteFunc(p.names, func(name string) bool { return name == page })
	input := func() string { return fmt.Sprintf("%q\nstdin %q", p.texts, stdin) }

	real := slices.Clone(args)
	for i, a := range real {
		if _, file := p.texts[a]; file || a == page || i > 0 && slices.Contains([]string{"--baseline", "--html"}, args[i-1]) && filepath.IsLocal(a) && a != "-" {
			real[i] = filepath.Join(p.dir, a)
		}
		real[i] = strings.ReplaceAll(real[i], "$EXAMPLES", "../../../examples")
	}
	status, stdout, stderr := run(stdin, false, real...)
	if slices.Contains(args, "always") { // the value of --color
		stdout, stderr = escapes.ReplaceAllString(stdout, ""), escapes.ReplaceAllString(stderr, "")
	}
	if p.runs[args[0]] == nil {
		p.runs[args[0]] = map[int]int{}
	}
	p.runs[args[0]][status]++
	if !p.ends[program.Ending{Command: args[0], Status: status}] && status != command.StatusInvalid {
		p.Errorf("%q: status %d, which docs/ci.md does not know", args, status)
	}
	for _, a := range args[1:] {
		switch a {
		case "-f":
			a = "--filename"
		case "-o":
			a = "--output"
		}
		if strings.HasPrefix(a, "-") {
			p.used[args[0]+" "+a]++
		}
	}
	p.checkOutput(input(), args, status, stdout, stderr)
	if html, err := os.ReadFile(filepath.Join(p.dir, page)); err != nil || string(html) != before && !bytes.HasSuffix(html, []byte("</html>\n")) {
		p.Fatalf("%q left half a page: %v, %q\nof %s", args, err, html, input())
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, ".*")); len(left) > 0 {
		p.Fatalf("%q left %q\nof %s", args, left, input())
	}
	for name, text := range p.texts {
		now, err := os.ReadFile(filepath.Join(p.dir, name))
		if err == nil && text == "" && slices.Contains(args, "--write-baseline") {
			p.texts[name] = string(now) // lint may overwrite an empty file
			continue
		}
		if err != nil || string(now) != text {
			p.Fatalf("%q changed its input %s: %v\nof %s", args, name, err, input())
		}
	}
	return stdout
}

// checkOutput calls checkOrderly and then parses the output.
func (p *replay) checkOutput(input string, args []string, status int, stdout, stderr string) {
	p.Helper()
	result := stdout
	if stderr != "" && slices.Contains([]string{"diff", "doctor", "lint", "upgrade-check", "immutable"}, args[0]) {
		result = "" // these commands print findings even if other files have errors
	}
	if ci.Is(p.lastForm(args)) {
		result = "" // the output for CI systems contains the errors
	}
	if status == 4 { // with status 4, the command prints a result, as with status 0
		status = 0
	}
	checkOrderly(p.T, input, args, status, result, stderr)
	if stdout == "" || slices.Contains(args, "--help") || slices.Contains(args, "--help-all") || slices.Contains(args, "--html") {
		return // text for people cannot be parsed
	}
	switch form := p.lastForm(args); {
	case form == "json" || form == "report" || form == "ndjson" || form == ci.SARIF:
		d := json.NewDecoder(strings.NewReader(stdout))
		for d.More() {
			var v any
			if err := d.Decode(&v); err != nil {
				p.Fatalf("%q printed no JSON: %v in %.2000s\nof %s", args, err, stdout, input)
			}
		}
	case form == ci.JUnit:
		var v struct{}
		if err := xml.Unmarshal([]byte(stdout), &v); err != nil {
			p.Fatalf("%q printed no XML: %v in %.2000s\nof %s", args, err, stdout, input)
		}
	case form == ci.GitHub:
		for line := range strings.Lines(stdout) {
			if !strings.HasPrefix(line, "::") || !strings.HasSuffix(line, "\n") {
				p.Fatalf("%q printed a line that is no annotation: %.2000q\nof %s", args, line, input)
			}
		}
	case form == "yaml" || form == "" && slices.Contains([]string{"apply", "update", "default", "migrate", "extract", "cel"}, args[0]):
		if _, err := manifest.ReadValues("stdout", []byte(stdout)); err != nil {
			p.Fatalf("%q printed no YAML: %v in %.2000s\nof %s", args, err, stdout, input)
		}
	}
}

// lastForm returns the value of the last flag -o in args, or "". It does not mistake values of
// other flags for -o.
func (p *replay) lastForm(args []string) (form string) {
	takes := map[string]bool{"-o": true, "-f": true}
	for _, f := range p.flags[args[0]] {
		takes[f.name] = f.kind != ""
	}
	for i := 1; i < len(args)-1 && args[i] != "--"; i++ {
		if !takes[args[i]] {
			continue
		}
		if args[i] == "-o" || args[i] == "--output" {
			form = args[i+1]
		}
		i++
	}
	return form
}

// With any files and flags, a command ends with a documented exit status. It prints a complete
// result, or only errors. It does not change its input files.
func TestReplayedScripts(t *testing.T) {
	flags := commandFlags(t)
	p := newReplay(t, flags)
	all := scripts(t)
	for round := range *rounds {
		for i, s := range all {
			if i%*part > 0 {
				continue
			}
			p.script(s, rand.New(rand.NewPCG(*seed+uint64(round), uint64(i))))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		total := 0
		for _, n := range p.runs[name] {
			total += n
		}
		t.Logf("%-14s %5d runs, by status %v", name, total, p.runs[name])
		if *part == 1 && total < 2**rounds {
			t.Errorf("%s ran %d times", name, total)
		}
		for _, f := range flags[name] {
			p.must, p.mustCommand = &f, name
			for i := 0; i < len(all) && p.used[name+" "+f.name] == 0; i++ {
				if all[i].runs(name) {
					p.script(all[i], rand.New(rand.NewPCG(0, uint64(i))))
				}
			}
			if p.used[name+" "+f.name] == 0 {
				t.Errorf("%s %s was never given", name, f.name)
			}
			p.must = nil
		}
	}
}
