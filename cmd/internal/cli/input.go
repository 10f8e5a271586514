// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/internal/wholefile"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// stdinName is what messages call standard input.
const stdinName = "<stdin>"

// files are the arguments of a flag that takes files.
type files struct {
	flag  string
	names []string
	// recursive says that directories stand for all below them.
	recursive bool
	// lists are those of the files, once they are read, that are Lists without items.
	lists *[]string
}

func (f *files) register(flags *pflag.FlagSet, name, short, usage string) {
	f.flag, f.lists = "--"+name, new([]string)
	if short != "" {
		f.flag = "-" + short
		flags.BoolVarP(&f.recursive, "recursive", "R", false, "read what is below the directories given with "+f.flag+", too")
	}
	flags.VarP(f, name, short, usage)
}

// fileType is what help calls the value of a flag that takes files.
const fileType = "file"

// Type, String, Set, Append, Replace and GetSlice make files the value of a flag, which
// may be given several times.
func (f *files) Type() string                 { return fileType }
func (f *files) String() string               { return strings.Join(f.names, ",") }
func (f *files) Set(name string) error        { f.names = append(f.names, name); return nil }
func (f *files) Append(name string) error     { return f.Set(name) }
func (f *files) Replace(names []string) error { f.names = names; return nil }
func (f *files) GetSlice() []string           { return f.names }

// read returns the bytes of a file, or of standard input if name is "-", and
// what messages call it. Reading is bounded.
func (r *run) read(flag, name string) (data []byte, shown string, err error) {
	in := r.env.Stdin
	if name == "" {
		return nil, "", usagef("%s: the name of the file is empty", flag)
	}
	if name == "-" {
		if r.stdinTaken != "" {
			return nil, "", usagef("standard input is for %s already and cannot be read again for %s", r.stdinTaken, flag)
		}
		r.stdinTaken, shown = flag, stdinName
	} else {
		if err := checkRegular(name); err != nil {
			return nil, "", err
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, "", fileError(name, err)
		}
		defer f.Close() // read only
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, "", &manifest.Error{File: name, Message: "is a directory; name its files"}
		}
		in, shown = f, name
	}
	data, err = io.ReadAll(io.LimitReader(in, manifest.MaxSize+1))
	if err != nil {
		return nil, "", fileError(name, err)
	}
	if len(data) > manifest.MaxSize {
		return nil, "", &manifest.Error{File: shown, Message: fmt.Sprintf("larger than %d MiB", manifest.MaxSize>>20)}
	}
	return data, shown, nil
}

// writeFile writes a file as a whole.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	if err := wholefile.Write(name, data, mode); err != nil {
		return fileError(name, err)
	}
	return nil
}

func fileError(name string, err error) *manifest.Error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return &manifest.Error{File: name, Message: err.Error()}
}

// inputErrors returns err as findings in files; ok is false if it is about the
// command line or about nothing in particular.
func inputErrors(err error) (errs manifest.Errors, ok bool) {
	switch e := err.(type) {
	case *manifest.Error:
		return manifest.Errors{e}, true
	case manifest.Errors:
		return e, true
	case *openapi.Error:
		return manifest.Errors{ofDocument(e)}, true
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			found, ok := inputErrors(part)
			if !ok {
				found = manifest.Errors{{Message: part.Error()}}
			}
			errs = append(errs, found...)
		}
		return errs, len(errs) > 0
	}
	return nil, false
}

// ofDocument is an error of a catalog, its path as all others are written: with a dot.
func ofDocument(e *openapi.Error) *manifest.Error {
	path := e.Path
	if path != "" && path[0] != '[' {
		path = "." + path
	}
	return &manifest.Error{File: e.Document, Line: e.Line, Column: e.Column, Path: path, Message: e.Message}
}

// nothingIn says that files, which were read, hold no objects.
func nothingIn(f files) error {
	if f.lists != nil && len(*f.lists) > 0 {
		return &emptyList{&manifest.Error{File: shortList(*f.lists), Message: "no objects there: a List without items"}}
	}
	names := slices.Clone(f.names)
	for i, name := range names {
		if name == "-" {
			names[i] = stdinName
		}
	}
	return &manifest.Error{File: shortList(names), Message: "no objects there"}
}

// passOver says that a file of a directory is left out.
func (r *run) passOver(name, why string) {
	fmt.Fprintf(r.env.Stderr, "note: %s is passed over: %s\n", name, why)
}

// isKustomization says whether a file is what kustomize makes manifests by, and none
// itself.
func isKustomization(name string, data []byte) bool {
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	if base != "kustomization" {
		return false
	}
	docs, err := manifest.Values(name, data)
	if err != nil || len(docs) != 1 {
		return false
	}
	doc, ok := docs[0].(map[string]any)
	apiVersion := text(doc, "apiVersion")
	return ok && (apiVersion == "" || strings.HasPrefix(apiVersion, "kustomize.config.k8s.io/"))
}

// objects returns the objects in the files, in order. What is wrong with the files is in
// errs, also of those that cannot be read; err is about the command line.
func (r *run) objects(f files) (objects []*manifest.Object, errs manifest.Errors, err error) {
	names, errs := f.all()
	for _, file := range names {
		data, shown, err := r.read(f.flag, file.name)
		if err == nil && file.listed && isKustomization(shown, data) {
			r.passOver(shown, "it is for kustomize")
			continue
		}
		var found []*manifest.Object
		if err == nil {
			found, err = manifest.Read(shown, data)
			r.masks.hideIn(found)
			objects = append(objects, found...)
			if err == nil && len(found) == 0 && f.lists != nil && hasMapping(shown, data) {
				*f.lists = append(*f.lists, shown)
			}
		}
		if bad, ok := inputErrors(err); ok {
			errs = append(errs, bad...)
		} else if err != nil {
			return nil, nil, err
		}
	}
	return objects, errs, nil
}
