// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package command implements the command dovetail-gen as a function, so that tests can call it.
package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/gen/internal/emit"
	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// Exit statuses of the command.
const (
	StatusDone = 0
	// StatusStale means that --check found outdated files, or that --strict turned a warning
	// into an error.
	StatusStale = 1
	// StatusPartly means that dovetail-gen could not generate the definition of at least one
	// kind. The output gives the reason. The command wrote or checked all other files.
	StatusPartly = 2
	// StatusInvalid means that the input or the arguments are invalid. The command generated
	// no file. With --fix, it may have changed the sources.
	StatusInvalid = 3
)

// options holds the values of the flags.
type options struct {
	defaults, openapi         bool
	openapiDir, json, crds    string
	header                    string
	tags                      []string
	strict, fix, check, quiet bool
	implied, embedded, roots  bool
	maxDescription            int
	// jsonNamed is true if the user passed --openapi-json. If it is false, the user may want only
	// CRDs, although the OpenAPI document is written too.
	jsonNamed bool
}

const usage = `Usage: dovetail-gen [flags] PACKAGE...

Generate code and CRDs from Go packages with API types. The input is the types and the
markers in their comments. A PACKAGE is a pattern of the go command, such as ./apis/...

  zz_generated.defaults.go   Functions that set defaults, in each package whose
                             types embed TypeMeta or that has the marker
                             +k8s:defaulter-gen.
  zz_generated.openapi.go    OpenAPI definitions, in each package with the marker
                             +k8s:openapi-gen=true.
  CRDs                       A CustomResourceDefinition for each kind in a package
                             with the marker +groupName.

If the input has an error, dovetail-gen writes no file.

Flags:
%s
Exit status:
  0  Done.
  1  A file is out of date (--check), or there are warnings (--strict).
  2  A kind has no CRD, and the output says why. All other files were written or checked.
  3  The input or the usage is wrong, so no file was generated. With --fix, the source code
     may have changed.
`

// Run runs the command and returns its exit status. It does not panic.
func Run(args []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "error: internal error: %v; please report it with the packages\n", p)
			status = StatusInvalid
		}
	}()
	var o options
	flags := pflag.NewFlagSet("dovetail-gen", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.defaults, "defaults", true, "write zz_generated.defaults.go into packages")
	flags.BoolVar(&o.openapi, "openapi", true, "write zz_generated.openapi.go, which imports k8s.io/kube-openapi, into packages with +k8s:openapi-gen=true")
	flags.StringVar(&o.openapiDir, "openapi-dir", "", "write the OpenAPI definitions of all packages into one Go package in `directory`, instead of one file in each package")
	flags.StringVar(&o.json, "openapi-json", "config/openapi.json", "write the definitions as an OpenAPI v3 document to `file`; an empty name writes no document")
	flags.StringVar(&o.crds, "crds", "config/crd/bases", "write CustomResourceDefinitions into `directory`; an empty name writes no CRDs")
	flags.BoolVar(&o.implied, "implied-defaults", true, "set the value that Go clients send for an unset field as the default of the field: {} for structs, the zero value for scalars (only for fields that Go always sends); in CRDs, also make these fields optional")
	flags.BoolVar(&o.roots, "root-defaults", false, "in OpenAPI definitions, also give the default {} to structs that no other definition uses, as in the examples of KEP-1929; API kinds get no default")
	flags.BoolVar(&o.embedded, "embedded-metadata", true, "in CRDs, declare the metadata fields of embedded objects, such as pod templates; otherwise, API servers drop their labels and annotations")
	flags.IntVar(&o.maxDescription, "max-description", -1, "in CRDs, shorten descriptions to `n` characters; 0 removes descriptions, -1 sets no limit")
	flags.StringVar(&o.header, "header-file", "", "put the content of `file` at the top of generated Go files")
	flags.StringSliceVar(&o.tags, "tags", nil, "build `tags`")
	flags.BoolVar(&o.strict, "strict", false, "treat warnings as errors")
	flags.BoolVar(&o.fix, "fix", false, "before generating, fix mistakes in the source code that have only one possible fix")
	flags.BoolVar(&o.check, "check", false, "write nothing; print what would change")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "do not print warnings and notes")
	err := flags.Parse(args)
	if errors.Is(err, pflag.ErrHelp) || err == nil && slices.Equal(flags.Args(), []string{"help"}) {
		fmt.Fprintf(stdout, usage, flags.FlagUsages())
		return StatusDone
	}
	o.jsonNamed = flags.Changed("openapi-json")
	if err == nil && flags.NArg() == 0 {
		err = errors.New("PACKAGE is missing")
	}
	if err == nil && o.fix && o.check {
		err = errors.New("--fix and --check cannot be combined: use one of them")
	}
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\nsee dovetail-gen --help\n", err)
		return StatusInvalid
	}
	status, err = o.run(flags.Args(), stdout, stderr)
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintf(stderr, "error: %s\n", line)
		}
	}
	return status
}

func (o *options) run(patterns []string, stdout, stderr io.Writer) (int, error) {
	src, found, err := o.read(patterns, stdout)
	if err != nil {
		return StatusInvalid, err
	}
	bad := len(markers.Errors(found, false))
	var all *emit.Definitions
	if bad == 0 {
		all = o.definitions(src, src.Packages)
		if o.json != "" && (o.jsonNamed || slices.ContainsFunc(src.Packages, emit.AsksForOpenAPI)) {
			found = src.CheckImpliedKeys(all.KeyedLists())
		}
	}
	for _, f := range found {
		switch {
		case !f.Warning:
			fmt.Fprintln(stderr, f)
		case !o.quiet:
			fmt.Fprintf(stderr, "%s (warning)\n", f)
		}
	}
	switch {
	case bad > 0:
		return StatusInvalid, nil
	case o.strict && len(found) > 0:
		return StatusStale, nil
	}
	files, missing, err := o.render(src, all, stderr)
	if err != nil {
		return StatusInvalid, err
	}
	if missing == nil && files.empty() && !o.quiet {
		fmt.Fprintf(stderr, "note: %s\n", o.nothing(src, patterns))
	}
	status := StatusDone
	if o.check {
		stale, err := difference(files, stdout)
		if err != nil {
			return StatusInvalid, err
		}
		if stale {
			status = StatusStale
		}
	} else if err := files.write(); err != nil {
		return StatusInvalid, err
	}
	if missing != nil {
		return StatusPartly, missing
	}
	return status, nil
}

// read loads the packages and returns them with the findings. With --fix, it fixes the source
// files and then loads the packages again.
func (o *options) read(patterns []string, stdout io.Writer) (*markers.Source, []*markers.Finding, error) {
	src, err := markers.Load(markers.Config{Tags: o.tags}, patterns...)
	if err != nil {
		return nil, nil, err
	}
	found := src.Check()
	if !o.fix {
		return src, found, nil
	}
	fixed, err := src.Fix(found)
	if err != nil || len(fixed) == 0 {
		return src, found, err
	}
	files := &outputs{}
	for name, text := range fixed {
		files.add(name, text)
	}
	if err := files.write(); err != nil {
		return nil, nil, err
	}
	for _, f := range found {
		if f.Fixable {
			fmt.Fprintf(stdout, "fixed %s\n", f)
		}
	}
	if src, err = markers.Load(markers.Config{Tags: o.tags}, patterns...); err != nil {
		return nil, nil, err
	}
	return src, src.Check(), nil
}

const (
	defaultsFile = "zz_generated.defaults.go"
	openapiFile  = "zz_generated.openapi.go"
)

// nothing returns a message for packages from which nothing is generated. The message has a line
// for each output, with the markers and embedded types that the output needs. For each package that
// has +groupName, another line says why the package has no CRD.
func (o *options) nothing(src *markers.Source, patterns []string) string {
	text := "nothing to generate from " + strings.Join(patterns, " ")
	var lines []string
	if o.defaults {
		lines = append(lines, "functions that set defaults need a struct that embeds metav1.TypeMeta, or +k8s:defaulter-gen=true above the package clause; +k8s:defaulter-gen=false prevents them")
	}
	if o.openapi || o.json != "" {
		lines = append(lines, "OpenAPI definitions need an exported struct, and +k8s:openapi-gen=true above it or above the package clause")
	}
	if o.crds != "" {
		lines = append(lines, "CRDs need +groupName=GROUP above the package clause, and a struct that embeds metav1.TypeMeta and metav1.ObjectMeta")
		for _, p := range src.Packages {
			if why := emit.WhyNoCRD(p); why != "" {
				lines = append(lines, fmt.Sprintf("package %s has no CRD: %s", p.Path, why))
			}
		}
	}
	if len(lines) == 0 {
		return text + ": the flags turn off all outputs"
	}
	return text + ":\n  " + strings.Join(lines, "\n  ")
}

// render generates all files. The argument all contains the definitions of all packages. The result
// missing is an error that names the kinds for which there is no definition.
func (o *options) render(src *markers.Source, all *emit.Definitions, stderr io.Writer) (files *outputs, missing, err error) {
	files = &outputs{}
	header := ""
	if o.header != "" {
		text, err := os.ReadFile(o.header)
		if err != nil {
			return nil, nil, err
		}
		header = string(text)
	}
	for _, p := range src.Packages {
		if o.defaults {
			text, err := emit.Defaults(src, p, header)
			if err != nil {
				return nil, nil, err
			}
			files.generated(filepath.Join(p.Dir, defaultsFile), text)
		}
		if o.openapi && o.openapiDir == "" {
			var text []byte
			if emit.AsksForOpenAPI(p) {
				var err error
				if text, err = o.definitions(src, []*markers.Package{p}).Go(p.Path, p.Name, header); err != nil {
					return nil, nil, err
				}
			}
			files.generated(filepath.Join(p.Dir, openapiFile), text)
		}
	}
	if o.openapiDir != "" {
		text, err := all.Go("", filepath.Base(absolute(o.openapiDir)), header)
		if err != nil {
			return nil, nil, err
		}
		files.add(filepath.Join(o.openapiDir, openapiFile), text)
	}
	if o.json != "" && len(all.Sorted()) > 0 {
		doc, err := all.Document(filepath.Base(absolute(".")))
		if err != nil {
			return nil, nil, err
		}
		text, err := emit.JSON(doc)
		if err != nil {
			return nil, nil, err
		}
		files.add(o.json, text)
	}
	if o.crds != "" {
		var crds []*emit.CRD
		crds, missing = emit.CRDs(src, src.Packages, emit.CRDOptions{Implied: o.implied, BareMetadata: !o.embedded, MaxDescription: o.maxDescription})
		for _, c := range crds {
			for _, t := range c.Recursive {
				fmt.Fprintf(stderr, "%s: the type %s is recursive, which structural schemas cannot express: only the first level is described (warning)\n", c.File(), t)
			}
			text, err := c.YAML()
			if err != nil {
				return nil, nil, err
			}
			files.add(filepath.Join(o.crds, c.File()), text)
		}
	}
	return files, missing, nil
}

func (o *options) definitions(src *markers.Source, packages []*markers.Package) *emit.Definitions {
	d := emit.NewDefinitions(src, packages, emit.DefinitionOptions{Implied: o.implied})
	if o.roots {
		d.DefaultRoots()
	}
	return d
}

func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// isOurs reports whether text is the content of a file that dovetail-gen generated.
func isOurs(text []byte) bool {
	return bytes.Contains(text, []byte("// Code generated by dovetail-gen. DO NOT EDIT.\n"))
}
