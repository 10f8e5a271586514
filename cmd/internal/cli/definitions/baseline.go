// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// baseline is a file that lists known findings. The command does not report them again.
type baseline struct {
	name  string
	write bool
	known map[knownFinding]bool // set to true by markFound
}

// knownFinding identifies a finding. It leaves out the line and the message, because both often
// change.
type knownFinding struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Rule string `json:"rule"`
}

// baselineFile is the content of a baseline.
type baselineFile struct {
	Findings []knownFinding `json:"findings"`
}

func (b *baseline) register(flags *pflag.FlagSet) {
	flags.StringVar(&b.name, "baseline", "", "file with known findings to ignore")
	flags.BoolVar(&b.write, "write-baseline", false, "write the current findings to the --baseline file")
}

// read reads the baseline file. With --write-baseline, it only checks that the command may
// overwrite the file.
func (b *baseline) read(r *command.Run) error {
	b.known = map[knownFinding]bool{}
	switch {
	case b.write && b.name == "":
		return command.Usagef("--write-baseline needs --baseline FILE, the file to write")
	case b.write && b.name == "-":
		return command.Usagef("--write-baseline cannot write to standard output: give --baseline a file name instead of -")
	case b.name == "":
		return nil
	}
	if at, err := os.Stat(b.name); errors.Is(err, fs.ErrNotExist) || err == nil && b.write && at.Size() == 0 {
		if b.write {
			return nil
		}
		return manifest.Errors{{File: b.name, Message: "no such file: create it with --write-baseline"}}
	}
	data, _, err := input.ReadFile(r, "--baseline", b.name)
	if err != nil {
		return err
	}
	var f baselineFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err = d.Decode(&f); err == nil && f.Findings == nil {
		err = errors.New(`it has no list "findings"`)
	}
	if err != nil {
		message := fmt.Sprintf("this is not a baseline that --write-baseline wrote: %v", err)
		if b.write {
			message = fmt.Sprintf("--write-baseline does not overwrite this file, because it is not a baseline (%v): name another file, or remove this one", err)
		}
		return manifest.Errors{{File: b.name, Message: message}}
	}
	if b.write {
		return nil
	}
	for _, k := range f.Findings {
		b.known[k] = false
	}
	return nil
}

func (f *finding) known() knownFinding { return knownFinding{f.about, f.origin, f.Rule} }

// apply removes known findings from a list, except those for which keep returns true. It returns
// the remaining findings, and the number of removed findings.
func (b *baseline) apply(all []finding, keep func(*finding) bool) (rest []finding, known int) {
	for _, f := range all {
		if _, ok := b.known[f.known()]; ok && !keep(&f) {
			known++
		} else {
			rest = append(rest, f)
		}
	}
	return rest, known
}

// markFound records which findings of the baseline still exist. The argument must contain all
// current findings, including those that the command does not show.
func (b *baseline) markFound(all []finding) {
	for i := range all {
		if _, ok := b.known[all[i].known()]; ok {
			b.known[all[i].known()] = true
		}
	}
}

// countObsolete returns the number of known findings that no longer exist.
func (b *baseline) countObsolete() (n int) {
	for _, found := range b.known {
		if !found {
			n++
		}
	}
	return n
}

// save writes the findings to the baseline file.
func (b *baseline) save(r *command.Run, all []finding) error {
	f := baselineFile{Findings: []knownFinding{}}
	for i := range all {
		f.Findings = append(f.Findings, all[i].known())
	}
	slices.SortFunc(f.Findings, func(a, b knownFinding) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path), strings.Compare(a.Rule, b.Rule))
	})
	f.Findings = slices.Compact(f.Findings)
	var out bytes.Buffer
	if err := encode.JSON(&out, f); err != nil {
		return err
	}
	if err := input.WriteFile(b.name, out.Bytes(), wholefile.ForAll); err != nil {
		return err
	}
	fmt.Fprintf(r.Env.Stderr, "%s: %s written\n", b.name, words.Count(len(f.Findings), "finding"))
	return nil
}
