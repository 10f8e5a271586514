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
	flags.StringVar(&s.native, "native", "", "validate built-in kinds with the code of their Kubernetes release: the `program` "+native.Name("RELEASE")+
		", or the folder that has it; "+NativeOff+" for the rules of dovetail alone (default: the program beside dovetail or on PATH, or what $DOVETAIL_NATIVE says)")
	s.asksNative = true
}

// findNative looks for the program of the release of the built-in types. If there is none, a note
// says what is not checked.
func (t *Types) findNative(r *command.Run, s *Flags) error {
	where := cmp.Or(s.native, r.Env.Native)
	if !s.asksNative || where == "" || where == NativeOff || t.Documents || t.Catalog == nil {
		return nil
	}
	if where == command.NativeFound {
		where = ""
	}
	release := minor(t.Catalog.Release())
	path, err := native.Find(release, where)
	var missing *native.NotFoundError
	switch {
	case errors.As(err, &missing) && where == "":
		t.nativeMissing = func() {
			r.NoteOnce("built-in kinds were checked by the simple rules of dovetail alone: there is no %s beside dovetail or on PATH, which has the validation of Kubernetes %s; install it with \"go install %s@latest\"",
				native.Name(release), release, native.Package(release))
		}
	case err != nil:
		return command.Usagef("--native: %v", err)
	default:
		t.native = native.New(path, release, native.Limits{})
	}
	return nil
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
