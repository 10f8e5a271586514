// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// NativeOff is the value of --native that disables helper programs.
const NativeOff = "off"

// NativeRequired is the value of --native that makes it an error if there is no helper program.
const NativeRequired = "required"

// RegisterNative adds the flag --native.
func (s *Flags) RegisterNative(flags *pflag.FlagSet) {
	RegisterNative(flags, &s.native)
	s.hasNative, s.needsNative = true, true
}

// RegisterNativeDefaults adds the flag --native for a command that only fills in defaults. If
// the helper program is missing, the command prints no note, because the defaults are the same
// without that program.
func (s *Flags) RegisterNativeDefaults(flags *pflag.FlagSet) {
	RegisterNative(flags, &s.native)
	s.hasNative = true
}

// RegisterNative adds the flag --native, which sets value.
func RegisterNative(flags *pflag.FlagSet, value *string) {
	flags.StringVar(value, "native", "", "path of the helper `program` "+native.Name("RELEASE")+", or of its directory; the program handles built-in kinds with the Go code of their Kubernetes release; \""+NativeOff+
		"\": use only dovetail's own rules; \""+NativeRequired+"\": fail if there is no program (default: $DOVETAIL_NATIVE, or a program next to dovetail or on PATH)")
}

// findNative looks for the helper program that validates built-in kinds of t's release. If there
// is none, t.Native prints a note when the program is first needed. It prints no note for a
// command whose results are the same without the program.
func (t *Types) findNative(r *command.Run, s *Flags) (err error) {
	if !s.hasNative || t.Documents || t.Catalog == nil {
		return nil
	}
	t.native, t.nativeMissing, err = FindNative(r, s.native, Minor(t.Catalog.Release()))
	if t.simpleRules = r.CheckedSimply; !s.needsNative {
		t.nativeMissing, t.simpleRules = nil, nil
	}
	return err
}

// FindNative returns an engine that runs the helper program for a release such as 1.37. The
// argument flag is the value of --native. If flag is empty, FindNative uses r.Env.Native instead.
// If no helper program is found, FindNative returns the function missing, which prints a note about
// this. With NativeRequired, it returns an error instead.
func FindNative(r *command.Run, flag, release string) (engine *native.Engine, missing func(), err error) {
	where := cmp.Or(flag, r.Env.Native)
	if where == "" || where == NativeOff {
		return nil, nil, nil
	}
	required, source := where == NativeRequired, "--native"
	if flag == "" {
		source = "DOVETAIL_NATIVE"
	}
	if where == command.NativeFound || required {
		where = ""
	}
	path, err := native.Find(release, where)
	var absent *native.NotFoundError
	switch {
	case errors.As(err, &absent) && required:
		return nil, nil, command.Usagef("%s %s: %v; %s", source, NativeRequired, err, installAdvice(release))
	case errors.As(err, &absent) && where == "":
		return nil, func() {
			r.NoteOnce("built-in kinds were checked only by Dovetail's own rules; %s; --native %s hides this note", installAdvice(release), NativeOff)
		}, nil
	case err != nil:
		return nil, nil, command.Usagef("--native: %v", err)
	}
	return native.New(path, release, native.Limits{}), nil, nil
}

// installAdvice explains how to install the helper program of a release, or that there is
// none.
func installAdvice(release string) string {
	if !native.HasProgram(release) {
		return "there is no program with the validation of Kubernetes " + release
	}
	return fmt.Sprintf("for the validation of Kubernetes %s, install %s: run \"%s\" in a clone of Dovetail", release, native.Name(release), native.InstallCommand(release))
}

// Native returns the engine that validates built-in kinds with the Go code of their release.
// If there is none, Native returns nil, and the first call prints a note.
func (t *Types) Native() predict.Native {
	if t.native != nil {
		return t.native
	}
	if t.nativeMissing != nil {
		t.nativeMissing()
	}
	if t.simpleRules != nil {
		t.simpleRules()
	}
	return nil
}
