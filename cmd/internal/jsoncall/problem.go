// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// These are the values of problem.Reason.
const (
	reasonBadRequest = "BadRequest"
	reasonInvalid    = "Invalid"
	reasonTooLarge   = "TooLarge"
	reasonClosed     = "Closed"
	// reasonUnavailable means that a release cannot be loaded.
	reasonUnavailable = "Unavailable"
	reasonInternal    = "Internal"
)

// problem is an error or a warning.
type problem struct {
	Message string `json:"message"`
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	// Source is the name of the input that contains the problem.
	Source string `json:"source,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Stack is the stack trace of a panic.
	Stack string `json:"stack,omitempty"`
}

func badRequest(format string, args ...any) *problem {
	return &problem{Message: fmt.Sprintf(format, args...), Reason: reasonBadRequest}
}

// problemsOf converts errors about inputs.
func (in *inputs) problemsOf(errs manifest.Errors) []*problem {
	var all []*problem
	for _, e := range errs {
		p := in.problem(e)
		p.Reason = reasonInvalid
		all = append(all, p)
	}
	return all
}

func (in *inputs) problem(e *manifest.Error) *problem {
	p := &problem{Message: e.Message, Path: e.Path, Line: e.Line, Column: e.Column, Source: e.File}
	if in.isData(e.File) {
		p.Line, p.Column = 0, 0 // JSON data has no line numbers for the caller
	}
	return p
}

// warningsOf converts the warnings of an outcome.
func (in *inputs) warningsOf(o *prediction.Outcome) []*problem {
	var all []*problem
	for _, w := range o.Warnings {
		all = append(all, in.problem(&manifest.Error{File: w.At.File, Line: w.At.Line, Column: w.At.Column, Path: w.Path, Message: w.Message}))
	}
	return all
}

// errorProblems converts an error of any type.
func (in *inputs) errorProblems(err error) []*problem {
	if errs, ok := input.Errors(err); ok {
		return in.problemsOf(errs)
	}
	var usage *command.UsageError
	if errors.As(err, &usage) {
		return []*problem{badRequest("%v", usage)}
	}
	return []*problem{{Message: err.Error(), Reason: reasonInvalid}}
}
