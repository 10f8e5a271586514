// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// merging are the packages that implement merges, identities of items, and ownership.
var merging = []string{"merge", "internal/engine", "internal/item", "internal/ownedset"}

const (
	module    = "github.com/dovetail-ssa/dovetail/"
	unreached = "testdata/unreached.txt"
)

// TestReached runs all cases of spec on Dovetail, and finds the blocks of code that no case
// runs. It compares these blocks with testdata/unreached.txt, which gives a reason for each of
// them. The header of that file has two numbers for each package. The first is the share of
// all blocks that the cases run. The second counts only blocks that implement server-side
// apply of JSON.
func TestReached(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with coverage")
	}
	blocks := measuredBlocks(t)
	head, why, words := reasons(t)
	var b strings.Builder
	all, apply, did, by := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && blocks[n].in == blocks[0].in {
			n++
		}
		fn := blocks[:n]
		blocks = blocks[n:]
		left := slices.DeleteFunc(slices.Clone(fn), func(b block) bool { return b.reached })
		pkg := path.Dir(strings.Fields(fn[0].in)[0])
		all[pkg], did[pkg] = all[pkg]+n, did[pkg]+n-len(left)
		apply[pkg] += n
		if len(left) == 0 {
			continue
		}
		fmt.Fprintln(&b, fn[0].in)
		each := 1
		if len(left) == n {
			left, each = []block{{in: fn[0].in, line: "all"}}, n
		}
		for _, block := range left {
			reason := why[block.in+"\t"+block.line]
			switch other, ok := words[reason]; {
			case reason == "":
				reason = "open"
			case !ok:
				t.Errorf("%s: its header does not explain the reason %q", unreached, reason)
			case other:
				apply[pkg] -= each
			}
			by[reason] += each
			fmt.Fprintf(&b, "\t%s: %s\n", reason, block.line)
		}
	}
	var figures strings.Builder
	total := [3]int{}
	for _, pkg := range merging {
		fmt.Fprintf(&figures, "# %s: %s\n", pkg, figure(did[pkg], apply[pkg], all[pkg]))
		total = [3]int{total[0] + did[pkg], total[1] + apply[pkg], total[2] + all[pkg]}
	}
	sum := figure(total[0], total[1], total[2])
	fmt.Fprintf(&figures, "# together: %s\n# blocks that no case runs, by reason:", sum)
	for _, reason := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(&figures, " %s %d", reason, by[reason])
	}
	got := fmt.Sprintf("%s\n\n%s\n\n%s", head, &figures, &b)
	if *update {
		if err := os.WriteFile(unreached, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(unreached); err != nil || string(want) != got {
		t.Errorf("%s is not up to date, run with -update (%v):\n%s", unreached, err, got)
	}
	if open := by["open"]; open > 0 {
		t.Errorf("%d blocks are open: add a case, or give the reason in %s", open, unreached)
	}
}

func figure(did, apply, all int) string {
	return fmt.Sprintf("%d of %d blocks (%.1f %%); %d of %d for server-side apply of JSON (%.1f %%)",
		did, all, 100*float64(did)/float64(all), did, apply, 100*float64(did)/float64(apply))
}

// block is a sequence of statements without a branch.
type block struct {
	in      string // file and function of the block
	line    string // the text of the first line of the block
	at      int    // position of the block in the order of all blocks
	reached bool
}

// measuredBlocks runs the cases with a program that measures coverage, and returns the blocks of
// this program.
func measuredBlocks(t *testing.T) []block {
	dir := t.TempDir()
	program, coverage, profile := filepath.Join(dir, "ssaimpl"), filepath.Join(dir, "coverage"), filepath.Join(dir, "profile")
	if err := os.Mkdir(coverage, 0o777); err != nil {
		t.Fatal(err)
	}
	// The package with function main must be among the measured packages. Otherwise the program
	// writes no profile.
	const main = "test/differential/cmd/ssaimpl"
	build := exec.Command("go", "build", "-cover", "-covermode=set",
		"-coverpkg="+module+strings.Join(append(slices.Clone(merging), main), ","+module), "-o", program, module+main)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	groups, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	for _, g := range groups {
		for _, c := range g.Cases {
			text, err := json.Marshal(Request{c, g.Schema, g.Versions})
			if err != nil {
				t.Fatal(err)
			}
			in.Write(append(text, '\n'))
		}
	}
	work := exec.Command(program, "dovetail")
	work.Env, work.Stdin, work.Stderr = append(os.Environ(), "GOCOVERDIR="+coverage), &in, os.Stderr
	if err := work.Run(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+coverage, "-o="+profile).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	return blocksOf(t, string(text))
}

// blocksOf reads a coverage profile.
func blocksOf(t *testing.T, profile string) []block {
	files := map[string]*source{}
	var blocks []block
	for line := range strings.Lines(profile) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, module), ":")
		if !slices.Contains(merging, path.Dir(name)) {
			continue
		}
		var line, column, toLine, toColumn, statements, count int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &line, &column, &toLine, &toColumn, &statements, &count); err != nil {
			t.Fatalf("%s: %v", rest, err)
		}
		f := files[name]
		if f == nil {
			f = sourceOf(t, name)
			files[name] = f
		}
		blocks = append(blocks, block{name + " " + f.functionAt(line), strings.TrimSpace(f.lines[line-1]), line*1000 + column, count > 0})
	}
	slices.SortFunc(blocks, func(a, b block) int {
		name, _, _ := strings.Cut(a.in, " ")
		other, _, _ := strings.Cut(b.in, " ")
		return cmp.Or(cmp.Compare(name, other), cmp.Compare(a.at, b.at))
	})
	return blocks
}

// source is a source file with the line numbers of its functions.
type source struct {
	lines     []string
	functions []function
}

type function struct {
	name     string
	from, to int // numbers of the first and the last line
}

func sourceOf(t *testing.T, name string) *source {
	file := filepath.Join("../../..", name)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s := &source{lines: strings.Split(string(text), "\n")}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		of := ""
		if fn.Recv != nil {
			ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && of == "" {
					of = id.Name + "."
				}
				return true
			})
		}
		s.functions = append(s.functions, function{of + fn.Name.Name, fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line})
	}
	return s
}

// functionAt returns the name of the function at a line.
func (s *source) functionAt(line int) string {
	for _, f := range s.functions {
		if f.from <= line && line <= f.to {
			return f.name
		}
	}
	return "(a variable)"
}

// reasons reads testdata/unreached.txt. It returns the header and the reason for each block.
// words has the reasons that the header explains. The value is true for reasons that mean "not
// server-side apply of JSON".
func reasons(t *testing.T) (head string, why map[string]string, words map[string]bool) {
	text, err := os.ReadFile(unreached)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ = strings.Cut(string(text), "\n\n")
	why, words = map[string]string{}, map[string]bool{}
	in, other := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "# Not server-side apply of JSON:" {
			other = true
		} else if word, ok := strings.CutPrefix(line, "#   "); ok {
			word, _, _ = strings.Cut(word, ":")
			words[word] = other
		} else if entry, ok := strings.CutPrefix(line, "\t"); !ok {
			in = line
		} else if reason, of, _ := strings.Cut(entry, ": "); reason != "open" {
			why[in+"\t"+of] = reason
		}
	}
	return head, why, words
}
