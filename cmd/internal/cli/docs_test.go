// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

var (
	update = flag.Bool("update", false, "rewrite the answers in documents")
	withGo = flag.Bool("readme", false, "type the documents that need Go and the module proxy, too, which takes minutes")
)

func TestMain(m *testing.M) { program.Main(m) }

// consoleBlock matches a terminal session in a document. Lines that begin with $ are commands,
// and their output follows. In the output, a line of dots matches any number of lines.
var consoleBlock = regexp.MustCompile("(?s)```console(?: with Go)?\n(.*?)```\n")

// typedBlock matches a session, or the text of a file. In the second case, the name of the file
// follows the language. The scripts in the language bash may call curl.
var typedBlock = regexp.MustCompile("(?s)```(bash|console|go|make|yaml)( [^\n]*)?\n(.*?)```\n")

// TestDocuments runs the sessions in the documents and compares the output. All sessions of a
// document run in one shell, in a folder with the examples. With -update, the test rewrites each
// output that contains no dots. With -readme, it runs only documents with a session "with Go".
// Their shell has the Go command, and a checkout in ~/dovetail.
func TestDocuments(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash")
	}
	const root = "../../.."
	documents, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, name := range append(documents, root+"/README.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		typed := dialogue(t, text)
		commands += len(typed)
		needsGo := strings.Contains(text, "```console with Go\n")
		if len(typed) == 0 || needsGo != *withGo {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			if _, err := exec.LookPath("curl"); err != nil && strings.Contains(text, "\n```bash ") {
				t.Skip("needs curl")
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir+"/examples", os.DirFS(root+"/examples")); err != nil {
				t.Fatal(err)
			}
			home, env := dir, []string(nil)
			if needsGo {
				home, env = goHome(t, root)
			}
			answers := typeIn(t, bash, dir, home, env, typed)
			for i, e := range typed {
				if matches(e.answer, answers[i]) {
					continue
				}
				if *update && !dots.MatchString(e.answer) {
					text = strings.Replace(text, "$ "+e.command+"\n"+e.answer, "$ "+e.command+"\n"+answers[i], 1)
					continue
				}
				t.Errorf("$ %s\n%s\nwant\n%s", e.command, answers[i], e.answer)
			}
			if text != string(data) {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if commands < 20 {
		t.Errorf("%d commands were found", commands)
	}
}

// exchange is a command and its output.
type exchange struct{ command, answer string }

// dialogue returns the commands in a document. Where the document shows the content of a file, the
// result has a command that writes this file.
func dialogue(t *testing.T, text string) (all []exchange) {
	for _, b := range typedBlock.FindAllStringSubmatch(text, -1) {
		switch language, file, body := b[1], strings.TrimSpace(b[2]), b[3]; {
		case language == "console" && file == "on a cluster": // run by the stage live of test/cluster
		case language == "console":
			all = append(all, exchanges(t, body)...)
		case file != "":
			all = append(all, exchange{command: "mkdir -p \"$(dirname " + file + ")\" && cat > " + file + " <<'END OF FILE'\n" + body + "END OF FILE"})
		}
	}
	return all
}

// goHome returns a home directory that contains a checkout of Dovetail. env is the environment for
// the Go command, which uses the caches of this machine.
func goHome(t *testing.T, root string) (home string, env []string) {
	t.Helper()
	home = t.TempDir()
	checkout, err := filepath.Abs(root)
	if err == nil {
		err = os.Symlink(checkout, home+"/dovetail")
	}
	if err != nil {
		t.Fatal(err)
	}
	env = []string{"GOWORK=off", "GOFLAGS=", "GOBIN=" + home + "/bin"}
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	return home, env
}

// exchanges parses a session. A command continues after a backslash or a pipe, and on lines that
// begin with >.
func exchanges(t *testing.T, block string) (all []exchange) {
	lines := strings.SplitAfter(block, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\n")
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			for i+1 < len(lines) && (strings.HasSuffix(line, `\`) || strings.HasSuffix(line, "|") || strings.HasPrefix(lines[i+1], "> ")) {
				i++
				line = strings.TrimSuffix(lines[i], "\n")
				command += "\n" + line
			}
			all = append(all, exchange{command: command})
		} else if len(all) > 0 {
			all[len(all)-1].answer += lines[i]
		} else if line != "" {
			t.Fatalf("a session begins with an answer: %s", line)
		}
	}
	return all
}

// typeIn runs commands in one shell and returns the output of each command.
func typeIn(t *testing.T, bash, dir, home string, env []string, typed []exchange) []string {
	t.Helper()
	const end = "--- end of an answer ---"
	var script strings.Builder
	for _, e := range typed {
		fmt.Fprintf(&script, "(exit $status)\n%s\nstatus=$?\necho '%s'\n", strings.ReplaceAll(e.command, "\n> ", "\n"), end)
	}
	sh := exec.Command(bash, "-c", "status=0\n"+script.String())
	sh.Dir = dir
	sh.Env = append(os.Environ(), "PATH="+strings.Join([]string{shellTools(t, bash), home + "/bin", os.Getenv("PATH")}, string(os.PathListSeparator)), "HOME="+home, "NO_COLOR=1", "LC_ALL=C")
	sh.Env = append(sh.Env, env...)
	out, err := sh.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	answers := strings.Split(string(out), end+"\n")
	if len(answers) != len(typed)+1 {
		t.Fatalf("%d answers to %d commands: %s", len(answers)-1, len(typed), out)
	}
	return answers
}

// dots matches a line of output that stands for any number of lines, with any indent.
var dots = regexp.MustCompile(`(?m)^ *\.\.\.\n`)

// matches reports whether output equals the wanted output, which may contain lines of dots.
func matches(want, got string) bool {
	parts := dots.Split(want, -1)
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile(`(?s)\A` + strings.Join(parts, "(?:.*\n)?") + `\z`).MatchString(got)
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		want, got string
		ok        bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "a\nb\n", false},
		{"a\n...\n", "a\nb\n", true},
		{"  ...\nb\n", "x\ny\nb\n", true},
		{"a\n...\nb\n", "a\nb\n", true},
		{"a\n...\nb\n", "a\nxb\n", false},
		{"", "", true},
		{"", "a\n", false},
		{"a.\n", "ab\n", false},
	} {
		if matches(tt.want, tt.got) != tt.ok {
			t.Errorf("%q and %q", tt.want, tt.got)
		}
	}
}

// The table of kinds in docs/prediction.md has the results of test/cluster.
func TestKindsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/prediction.md")
	if err != nil {
		t.Fatal(err)
	}
	results, err := os.ReadFile("../../../test/cluster/RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, results, ok := bytes.Cut(results, []byte("| kind | compared requests to Kubernetes 1.36 | compared requests to Kubernetes 1.37 |\n|---|--:|--:|\n"))
	if !ok {
		t.Fatal("test/cluster/RESULTS.md has no table of predictions by kind")
	}
	table, _, _ := bytes.Cut(results, []byte("\n\n"))
	var rows strings.Builder
	for row := range strings.Lines(string(table) + "\n") {
		cells := strings.Split(strings.Trim(row, "| \n"), " | ")
		requests, known := 0, 0
		for _, cell := range cells[1:] {
			r, k := 0, 0
			if n, err := fmt.Sscanf(cell, "%d, %d", &r, &k); n == 0 {
				t.Fatalf("%q: %v", row, err)
			}
			requests, known = requests+r, known+k
		}
		kind := cells[0]
		if known > 0 {
			t.Errorf("%s: %d known differences, but the document says that there are none", kind, known)
		}
		group, name, _ := strings.Cut(kind, " ")
		if g, _, named := strings.Cut(group, "/"); named {
			name += "." + g
		}
		var server []string
		for _, f := range predict.ServerFields() {
			if f.Kind == name && !f.Later {
				server = append(server, "`"+f.Path+"`")
			}
		}
		fmt.Fprintf(&rows, "| %s | %d | %s |\n", kind, requests, cmp.Or(strings.Join(server, ", "), "-"))
	}
	if !strings.Contains(string(text), rows.String()) {
		t.Errorf("docs/prediction.md lacks these rows:\n%s", rows.String())
	}
}

// docs/prediction.md lists exactly the fields of predict.ServerFields, whose values only a server
// knows.
func TestServerFieldsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/prediction.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, f := range predict.ServerFields() {
		inReport := "yes"
		if f.Later {
			inReport = "no"
		}
		fmt.Fprintf(&rows, "| %s | `%s` | %s | %s |\n", cmp.Or(f.Kind, "all"), f.Path, f.Why, inReport)
	}
	if !strings.Contains(string(text), rows.String()) {
		t.Errorf("docs/prediction.md lacks these rows:\n%s", rows.String())
	}
}

// stage matches a Go constant for a stage of predictions.
var stage = regexp.MustCompile(`(?m)^\tStage\w+ (?:fieldmanager\.)?Stage = "(.*)"$`)

// docs/prediction.md has a row for every stage of predictions.
func TestStagesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/prediction.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, source := range []string{"fieldmanager/trace.go", "kube/predict/trace.go"} {
		code, err := os.ReadFile("../../../" + source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range stage.FindAllSubmatch(code, -1) {
			found++
			if !bytes.Contains(text, slices.Concat([]byte("\n| "), m[1], []byte(" | "))) {
				t.Errorf("docs/prediction.md has no row for the stage %q", m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("%d stages are found, want 20 at least", found)
	}
}

// pipelineCommand matches a dovetail command in the configuration of a CI system.
var pipelineCommand = regexp.MustCompile(`(?m)^ *(?:- )?(?:(?:run|entry): )?(dovetail .*)$`)

// Every command in the pipelines of docs/ci.md also occurs in one of its sessions, which
// TestDocuments runs.
func TestPipelinesAreRun(t *testing.T) {
	text, err := os.ReadFile("../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	var typed []string
	for _, s := range consoleBlock.FindAllSubmatch(text, -1) {
		for _, e := range exchanges(t, string(s[1])) {
			typed = append(typed, e.command)
		}
	}
	commands := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllSubmatch(text, -1) {
		for _, m := range pipelineCommand.FindAllSubmatch(block[1], -1) {
			commands++
			if !slices.ContainsFunc(typed, func(c string) bool { return c == string(m[1]) || strings.HasPrefix(c, string(m[1])+" ") }) {
				t.Errorf("nobody types %s", m[1])
			}
		}
	}
	if commands < 4 {
		t.Errorf("%d commands", commands)
	}
}
