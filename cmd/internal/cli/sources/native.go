// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"cmp"
	"errors"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// NativeOff is the value of --native that asks no program.
const NativeOff = "off"

// RegisterNative adds the flag --native.
func (s *Flags) RegisterNative(flags *pflag.FlagSet) {
	RegisterNative(flags, &s.native)
	s.asksNative = true
}

// RegisterNative adds the flag --native.
func RegisterNative(flags *pflag.FlagSet, value *string) {
	flags.StringVar(value, "native", "", "validate built-in kinds with the code of their Kubernetes release: the `program` "+native.Name("RELEASE")+
		", or the folder that holds it; "+NativeOff+" for the rules of dovetail alone (default: $DOVETAIL_NATIVE, or the program beside dovetail or on PATH)")
}

// findNative looks for the program of the release of the built-in types. If there is none, a note
// says what is not checked.
func (t *Types) findNative(r *command.Run, s *Flags) (err error) {
	if !s.asksNative || t.Documents || t.Catalog == nil {
		return nil
	}
	t.native, t.nativeMissing, err = FindNative(r, s.native, Minor(t.Catalog.Release()))
	return err
}

// FindNative returns the engine for a release such as 1.37, from the value of --native. If that is
// empty and there is no program, it returns a function that notes so instead.
func FindNative(r *command.Run, where, release string) (engine *native.Engine, missing func(), err error) {
	if where = cmp.Or(where, r.Env.Native); where == "" || where == NativeOff {
		return nil, nil, nil
	}
	if where == command.NativeFound {
		where = ""
	}
	path, err := native.Find(release, where)
	var absent *native.NotFoundError
	switch {
	case errors.As(err, &absent) && where == "":
		return nil, func() {
			r.NoteOnce("built-in kinds were checked by the simple rules of dovetail alone: there is no %s beside dovetail or on PATH, which has the validation of Kubernetes %s; in a clone of dovetail, \"%s\" installs it",
				native.Name(release), release, native.InstallCommand(release))
		}, nil
	case err != nil:
		return nil, nil, command.Usagef("--native: %v", err)
	}
	return native.New(path, release, native.Limits{}), nil, nil
}

// Native returns what validates an object of a built-in kind with the code of its release, nil if
// there is none. Then a note says so once.
func (t *Types) Native() predict.Native {
	if t.native != nil {
		return t.native
	}
	if t.nativeMissing != nil {
		t.nativeMissing()
	}
	return nil
}
