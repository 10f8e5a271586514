// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

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

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// StdinName is what messages call standard input.
const StdinName = "<stdin>"

// Files are the arguments of a flag that takes files.
type Files struct {
	Flag  string
	Names []string
	// flags has all flags of the command. Its flag -R applies to all flags that take files.
	flags *pflag.FlagSet
	// lists are those of the files, once they are read, that are Lists without items.
	lists *[]string
}

// Register adds the flag, and with a short name -R too.
func (f *Files) Register(flags *pflag.FlagSet, name, short, usage string) {
	f.Flag, f.lists, f.flags = "--"+name, new([]string), flags
	if short != "" {
		f.Flag = "-" + short
		flags.BoolP("recursive", "R", false, "also read the directories below each given directory")
	}
	flags.VarP(f, name, short, usage)
}

// recursive reports whether directories stand for all below them.
func (f *Files) recursive() bool {
	if f.flags == nil {
		return false
	}
	recursive, err := f.flags.GetBool("recursive")
	return err == nil && recursive
}

// FileType is what help calls the value of a flag that takes files.
const FileType = "file"

// Type, String, Set, Append, Replace and GetSlice make files the value of a flag, which
// may be given several times.
func (f *Files) Type() string                 { return FileType }
func (f *Files) String() string               { return strings.Join(f.Names, ",") }
func (f *Files) Set(name string) error        { f.Names = append(f.Names, name); return nil }
func (f *Files) Append(name string) error     { return f.Set(name) }
func (f *Files) Replace(names []string) error { f.Names = names; return nil }
func (f *Files) GetSlice() []string           { return f.Names }

// open opens a file, or standard input if name is "-"; shown is what messages call it.
func open(r *command.Run, flag, name string) (in io.ReadCloser, shown string, err error) {
	if name == "" {
		return nil, "", command.Usagef("%s: the name of the file is empty", flag)
	}
	if name == "-" {
		if r.StdinTaken != "" {
			return nil, "", command.Usagef("standard input is for %s already and cannot be read again for %s", r.StdinTaken, flag)
		}
		r.StdinTaken = flag
		return io.NopCloser(r.Env.Stdin), StdinName, nil
	}
	if err := checkRegular(name); err != nil {
		return nil, "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, "", FileError(name, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close() // nothing was read
		return nil, "", &manifest.Error{File: name, Message: "is a directory; name its files"}
	}
	return f, name, nil
}

// ReadFile returns the bytes of a file, or of standard input if name is "-", and
// what messages call it. Reading is bounded.
func ReadFile(r *command.Run, flag, name string) (data []byte, shown string, err error) {
	in, shown, err := open(r, flag, name)
	if err != nil {
		return nil, "", err
	}
	defer in.Close() // read only
	data, err = io.ReadAll(io.LimitReader(in, manifest.MaxSize+1))
	if err != nil {
		return nil, "", FileError(name, err)
	}
	if len(data) > manifest.MaxSize {
		return nil, "", &manifest.Error{File: shown, Message: fmt.Sprintf("larger than %d MiB", manifest.MaxSize>>20)}
	}
	return data, shown, nil
}

// WriteFile writes a file as a whole.
func WriteFile(name string, data []byte, mode fs.FileMode) error {
	if err := wholefile.Write(name, data, mode); err != nil {
		return FileError(name, err)
	}
	return nil
}

// FileError is an error of the system about a file.
func FileError(name string, err error) *manifest.Error {
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

// Errors returns err as findings in files; ok is false if it is about the
// command line or about nothing in particular.
func Errors(err error) (errs manifest.Errors, ok bool) {
	switch e := err.(type) {
	case *manifest.Error:
		return manifest.Errors{e}, true
	case manifest.Errors:
		return e, true
	case *openapi.DocumentError:
		return manifest.Errors{OfDocument(e)}, true
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			found, ok := Errors(part)
			if !ok {
				found = manifest.Errors{{Message: part.Error()}}
			}
			errs = append(errs, found...)
		}
		return errs, len(errs) > 0
	}
	return nil, false
}

// OfDocument is an error of a catalog, its path as all others are written: with a dot.
func OfDocument(e *openapi.DocumentError) *manifest.Error {
	path := e.Path
	if path != "" && path[0] != '[' {
		path = "." + path
	}
	return &manifest.Error{File: e.Document, Line: e.Line, Column: e.Column, Path: path, Message: e.Message}
}

// NothingIn says that files, which were read, hold no objects.
func NothingIn(f Files) error {
	if f.lists != nil && len(*f.lists) > 0 {
		return &command.EmptyList{About: &manifest.Error{File: words.ShortList(*f.lists), Message: "no objects there: a List without items"}}
	}
	names := slices.Clone(f.Names)
	for i, name := range names {
		if name == "-" {
			names[i] = StdinName
		}
	}
	return &manifest.Error{File: words.ShortList(names), Message: "no objects there"}
}

// PassOver says that a file of a directory is left out.
func PassOver(r *command.Run, name, why string) {
	r.Notef("%s is passed over: %s", name, why)
}

// IsKustomization says whether a file is what kustomize makes manifests by, and none
// itself.
func IsKustomization(name string, data []byte) bool {
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	if base != "kustomization" {
		return false
	}
	docs, err := manifest.ReadValues(name, data)
	if err != nil || len(docs) != 1 {
		return false
	}
	doc, ok := docs[0].(map[string]any)
	apiVersion := unstructured.Text(doc, "apiVersion")
	return ok && (apiVersion == "" || strings.HasPrefix(apiVersion, "kustomize.config.k8s.io/"))
}

// ReadObjects returns the objects in the files, in order. What is wrong with the files is in
// errs, also of those that cannot be read; err is about the command line.
func ReadObjects(r *command.Run, f Files) (objects []*manifest.Object, errs manifest.Errors, err error) {
	s, err := Open(r, f)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	errs, err = s.Each(func(o *manifest.Object) { objects = append(objects, o) })
	if err == nil && len(objects) == 0 && len(errs) == 0 {
		s.noteLists()
	}
	return objects, errs, err
}

// hasMapping says whether there is a mapping in a file. One that was read without an error
// and holds no object is a List without items.
func hasMapping(name string, data []byte) bool {
	found, _ := manifest.ReadMappings(name, data) // it was read before
	return len(found) > 0
}
