// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/diag"
)

// ValidationError is one error about a value, with the same message as in structured-merge-diff.
// To write your own message, call errors.As to get the [Problem], which holds the rule, the
// invalid value and the hints as separate fields.
type ValidationError struct {
	// Path is the path of the error, such as .a.b[name="c"]. It is empty if the error is about
	// the whole value.
	Path string
	// ErrorMessage is the same message as in structured-merge-diff.
	ErrorMessage string

	origin *origin
}

// origin is the internal finding that a ValidationError was made from.
type origin struct {
	finding *diag.Finding
	// typ is the type that the value was validated against, if the error comes from validation.
	typ ParseableType
}

// Error returns the path and the message.
func (ve ValidationError) Error() string {
	if ve.Path == "" {
		return ve.ErrorMessage
	}
	return ve.Path + ": " + ve.ErrorMessage
}

// As lets errors.As retrieve the internal finding. Only packages of this module can use it.
func (ve ValidationError) As(target any) bool {
	f, ok := target.(**diag.Finding)
	if ok = ok && ve.origin != nil; ok {
		*f = ve.origin.finding
	}
	return ok
}

// Unwrap returns the *Problem of the error. It returns nil if another package created the error, or
// if the error is about the arguments of a call and not about a value.
func (ve ValidationError) Unwrap() error {
	if p := ve.problem(); p != nil {
		return p
	}
	return nil
}

// ValidationErrors are the errors about a value. Errors about the fields of a map are sorted by
// field name. An item that cannot be identified, for example because it lacks its key, hides the
// errors of the later items in its list.
type ValidationErrors []ValidationError

// Error returns a single error on one line, and several errors as a list.
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

// Unwrap returns the errors one by one. errors.As then finds the first [Problem].
func (errs ValidationErrors) Unwrap() []error {
	all := make([]error, len(errs))
	for i := range errs {
		all[i] = errs[i]
	}
	return all
}

// WithPath sets the path of every error. It modifies and returns errs.
func (errs ValidationErrors) WithPath(p string) ValidationErrors {
	for i := range errs {
		errs[i].Path = p
	}
	return errs
}

// WithPrefix puts prefix in front of every path. It modifies and returns errs.
func (errs ValidationErrors) WithPrefix(prefix string) ValidationErrors {
	for i := range errs {
		errs[i].Path = prefix + errs[i].Path
	}
	return errs
}

// WithLazyPrefix is like WithPrefix, but calls fn to get the prefix. It does not call fn if
// there are no errors. If fn is nil, WithLazyPrefix adds no prefix.
func (errs ValidationErrors) WithLazyPrefix(fn func() string) ValidationErrors {
	if len(errs) == 0 || fn == nil {
		return errs
	}
	return errs.WithPrefix(fn())
}

// errorf returns an error without a path.
func errorf(format string, args ...any) ValidationErrors {
	return ValidationErrors{{ErrorMessage: fmt.Sprintf(format, args...)}}
}

// errorsOf returns findings as ValidationErrors, or nil if there are none.
func errorsOf(findings diag.Findings) error { return errorsIn(findings, ParseableType{}) }

// errorsIn is like errorsOf, but records that the findings are about a value of type typ.
func errorsIn(findings diag.Findings, typ ParseableType) error {
	if len(findings) == 0 {
		return nil
	}
	errs := make(ValidationErrors, len(findings))
	for i := range findings {
		errs[i] = ValidationError{Path: findings[i].Path, ErrorMessage: findings[i].Message}
		if findings[i].Code != diag.Misuse {
			errs[i].origin = &origin{&findings[i], typ}
		}
	}
	return errs
}
