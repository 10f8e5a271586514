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

// StdinName is the name of standard input in messages.
const StdinName = "<stdin>"

// Files is the value of a flag that accepts files.
type Files struct {
	Flag  string
	Names []string
	// flags holds all flags of the command. One of them is -R, which all flags for files share.
	flags *pflag.FlagSet
}

// Register adds the flag. If the flag has a short name, such as -f, Register also adds -R.
func (f *Files) Register(flags *pflag.FlagSet, name, short, usage string) {
	f.Flag, f.flags = "--"+name, flags
	if short != "" {
		f.Flag = "-" + short
		flags.BoolP("recursive", "R", false, "also read the subdirectories of given directories")
	}
	flags.VarP(f, name, short, usage)
}

// recursive reports whether the command line contains -R.
func (f *Files) recursive() bool {
	if f.flags == nil {
		return false
	}
	recursive, err := f.flags.GetBool("recursive")
	return err == nil && recursive
}

// FileType is the type that help shows for flags that accept files.
const FileType = "file"

// The methods of Files implement pflag.Value and pflag.SliceValue. The flag may occur several
// times.
func (f *Files) Type() string                 { return FileType }
func (f *Files) String() string               { return strings.Join(f.Names, ",") }
func (f *Files) Set(name string) error        { f.Names = append(f.Names, name); return nil }
func (f *Files) Append(name string) error     { return f.Set(name) }
func (f *Files) Replace(names []string) error { f.Names = names; return nil }
func (f *Files) GetSlice() []string           { return f.Names }

// open opens a file, or standard input if name is "-". It also returns a name of the file that
// messages can show.
func open(r *command.Run, flag, name string) (in io.ReadCloser, shown string, err error) {
	if name == "" {
		return nil, "", command.Usagef("%s: the file name is empty", flag)
	}
	if name == "-" {
		if r.StdinTaken != "" {
			return nil, "", command.Usagef("%s already reads standard input: name a file for %s", r.StdinTaken, flag)
		}
		r.StdinTaken = flag
		return io.NopCloser(r.Env.Stdin), StdinName, nil
	}
	if strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://") {
		return nil, "", &manifest.Error{File: name, Message: fmt.Sprintf("this is a URL, but dovetail reads only files: download it, as in curl -sSL URL | dovetail %s %s -", r.Name, flag)}
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
		return nil, "", &manifest.Error{File: name, Message: "this is a directory: name the files in it"}
	}
	return f, name, nil
}

// ReadFile reads a file, or standard input if name is "-". It also returns a name of the file that
// messages can show. It is an error if the file is larger than manifest.MaxSize.
func ReadFile(r *command.Run, flag, name string) (data []byte, shown string, err error) {
	in, shown, err := open(r, flag, name)
	if err != nil {
		return nil, "", err
	}
	defer in.Close() // the file is only read
	data, err = io.ReadAll(io.LimitReader(in, manifest.MaxSize+1))
	if err != nil {
		return nil, "", FileError(name, err)
	}
	if len(data) > manifest.MaxSize {
		return nil, "", &manifest.Error{File: shown, Message: fmt.Sprintf("the file is larger than %d MiB", manifest.MaxSize>>20)}
	}
	return data, shown, nil
}

// WriteFile replaces the content of a file atomically.
func WriteFile(name string, data []byte, mode fs.FileMode) error {
	if err := wholefile.Write(name, data, mode); err != nil {
		return FileError(name, err)
	}
	return nil
}

// FileError converts an error of the operating system to an error about the named file.
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

// Errors converts an error to errors about files. ok is false if this is impossible, for example
// because the error is about the command line.
func Errors(err error) (errs manifest.Errors, ok bool) {
	switch e := err.(type) {
	case *manifest.Error:
		return manifest.Errors{e}, true
	case manifest.Errors:
		return e, true
	case *openapi.DocumentError:
		return manifest.Errors{DocumentError(e)}, true
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

// DocumentError converts an error about an OpenAPI document or a CRD. The new error has a path
// with a dot at the start, as in other messages.
func DocumentError(e *openapi.DocumentError) *manifest.Error {
	path := e.Path
	if path != "" && path[0] != '[' {
		path = "." + path
	}
	return &manifest.Error{File: e.Document, Line: e.Line, Column: e.Column, Path: path, Message: e.Message}
}

// NoteNoObjects adds a note that the files contain no objects. This is not an error: a chart
// may render nothing, and "kubectl get" may find nothing.
func NoteNoObjects(r *command.Run, f Files) { r.Notef("there are no objects in %s", f.Shown()) }

// Shown returns the names of the files for messages.
func (f *Files) Shown() string {
	names := slices.Clone(f.Names)
	for i, name := range names {
		if name == "-" {
			names[i] = StdinName
		}
	}
	return words.ShortList(names)
}

// NoteSkipped adds a note that a file in a directory is skipped.
func NoteSkipped(r *command.Run, name, why string) {
	r.Notef("%s is skipped: %s", name, why)
}

// NoteKustomization adds a note that a kustomization in a directory is skipped.
func NoteKustomization(r *command.Run, name string) {
	NoteSkipped(r, name, fmt.Sprintf("it is a kustomization, not a manifest; \"kubectl kustomize %s\" prints its objects", filepath.Dir(name)))
}

// IsKustomization reports whether a file is a kustomization, and therefore not a manifest.
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

// ReadObjects returns the objects in the files, in order. errs holds errors about files, such
// as files that cannot be read. err is an error in the command line.
func ReadObjects(r *command.Run, f Files) (objects []*manifest.Object, errs manifest.Errors, err error) {
	s, err := Open(r, f)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	errs, err = s.Each(func(o *manifest.Object) { objects = append(objects, o) })
	return objects, errs, err
}
