// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/diag"
)

// ValidationError is one thing that is wrong with a value, in the words of
// structured-merge-diff. What it was made from, for words of your own, is a [Problem],
// which errors.As finds.
type ValidationError struct {
	// Path is where, empty for the value as a whole: .a.b[name="c"].
	Path string
	// ErrorMessage is what, in the words of structured-merge-diff.
	ErrorMessage string

	origin *origin
}

// origin is what an error of this package was made from.
type origin struct {
	finding *diag.Finding
	// of is the type that the value was validated as, if it was.
	of ParseableType
}

// Error returns the path and the message.
func (ve ValidationError) Error() string {
	if ve.Path == "" {
		return ve.ErrorMessage
	}
	return ve.Path + ": " + ve.ErrorMessage
}

// As lets errors.As find what the packages of this module know of the error.
func (ve ValidationError) As(target any) bool {
	f, ok := target.(**diag.Finding)
	if ok = ok && ve.origin != nil; ok {
		*f = ve.origin.finding
	}
	return ok
}

// Unwrap returns the *Problem that the error is about, nil if it was not made by this
// package from a value.
func (ve ValidationError) Unwrap() error {
	if p := ve.problem(); p != nil {
		return p
	}
	return nil
}

// ValidationErrors is everything that is wrong with a value, in the order in
// which the value is walked; fields of a map count in the order of their names.
type ValidationErrors []ValidationError

// Error returns the one error, or all of them on lines of their own.
func (errs ValidationErrors) Error() string {
	if len(errs) == 1 {
		return errs[0].Error()
	}
	var b strings.Builder
	b.WriteString("errors:")
	for _, e := range errs {
		b.WriteString("\n  ")
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap returns each error by itself, so that errors.As finds the first [Problem].
func (errs ValidationErrors) Unwrap() []error {
	all := make([]error, len(errs))
	for i := range errs {
		all[i] = errs[i]
	}
	return all
}

// WithPath sets the path of every error and returns errs.
func (errs ValidationErrors) WithPath(p string) ValidationErrors {
	for i := range errs {
		errs[i].Path = p
	}
	return errs
}

// WithPrefix puts prefix in front of every path and returns errs.
func (errs ValidationErrors) WithPrefix(prefix string) ValidationErrors {
	for i := range errs {
		errs[i].Path = prefix + errs[i].Path
	}
	return errs
}

// WithLazyPrefix is WithPrefix with a prefix that is only made if there are
// errors. A nil fn leaves the paths alone.
func (errs ValidationErrors) WithLazyPrefix(fn func() string) ValidationErrors {
	if len(errs) == 0 || fn == nil {
		return errs
	}
	return errs.WithPrefix(fn())
}

func errorf(format string, args ...any) ValidationErrors {
	return ValidationErrors{{ErrorMessage: fmt.Sprintf(format, args...)}}
}

// errorsOf returns findings as errors, nil if there are none.
func errorsOf(found diag.Findings) error { return errorsIn(found, ParseableType{}) }

// errorsIn is errorsOf for what was found in a value of a type.
func errorsIn(found diag.Findings, of ParseableType) error {
	if len(found) == 0 {
		return nil
	}
	errs := make(ValidationErrors, len(found))
	for i := range found {
		errs[i] = ValidationError{Path: found[i].Path, ErrorMessage: found[i].Message}
		if found[i].Code != diag.Misuse {
			errs[i].origin = &origin{&found[i], of}
		}
	}
	return errs
}
