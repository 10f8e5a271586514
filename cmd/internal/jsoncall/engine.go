// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// Engine keeps sets of types and answers calls. It is safe for concurrent use. Calls to one
// engine cannot affect another engine.
type Engine struct {
	mu    sync.Mutex
	types map[int]*typeSet
	last  int
}

// New returns an engine without types.
func New() *Engine { return &Engine{types: map[int]*typeSet{}} }

// call is a decoded call.
type call struct {
	Op string `json:"op"`
	// Types identifies the set of types that the operation uses. Engine.types has all sets.
	Types int             `json:"types"`
	Args  json.RawMessage `json:"args"`
}

// result holds the fields that all answers have.
type result struct {
	OK       bool       `json:"ok"`
	Errors   []*problem `json:"errors"`
	Warnings []*problem `json:"warnings"`
}

func (r *result) base() *result { return r }

// answer is the answer to a call.
type answer interface{ base() *result }

// operations holds the operations that use a set of types, by name.
var operations = map[string]func(*typeSet, json.RawMessage) answer{
	"kinds":     operation((*typeSet).kinds),
	"apply":     operation((*typeSet).apply),
	"update":    operation((*typeSet).update),
	"diff":      operation((*typeSet).diff),
	"owners":    operation((*typeSet).owners),
	"conflicts": operation((*typeSet).conflicts),
	"validate":  operation((*typeSet).validate),
	"migrate":   operation((*typeSet).migrate),
	"schema":    operation((*typeSet).schema),
}

// operation returns an operation that decodes its arguments and calls f with them.
func operation[A any, R answer](f func(*typeSet, A) R) func(*typeSet, json.RawMessage) answer {
	return func(t *typeSet, text json.RawMessage) answer {
		var args A
		if err := decode(text, &args); err != nil {
			return refused(err)
		}
		return f(t, args)
	}
}

// decode decodes the arguments of a call. It rejects unknown arguments, because they are
// mistakes.
func decode(text json.RawMessage, args any) *problem {
	if len(text) == 0 {
		text = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(args); err != nil {
		return badRequest("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// Call answers one call. The answer is always valid JSON.
func (e *Engine) Call(text []byte) (out []byte) {
	defer func() {
		if r := recover(); r != nil {
			out = answerText(refused(&problem{
				Message: fmt.Sprintf("a bug in the engine: %v", r), Reason: reasonInternal, Stack: string(debug.Stack()),
			}))
		}
	}()
	return answerText(e.answer(text))
}

func (e *Engine) answer(text []byte) answer {
	if err := checkJSON(text); err != nil {
		return refused(err)
	}
	var c call
	if err := decode(text, &c); err != nil {
		return refused(err)
	}
	switch c.Op {
	case "info":
		return info()
	case "types":
		return e.addTypes(c.Args)
	case "free":
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.types, c.Types)
		return finish(&result{})
	}
	do := operations[c.Op]
	if do == nil {
		return refused(badRequest("there is no operation %q", c.Op))
	}
	e.mu.Lock()
	t := e.types[c.Types]
	e.mu.Unlock()
	if t == nil {
		return refused(&problem{Message: "these types are closed: load them again", Reason: reasonClosed})
	}
	return do(t, c.Args)
}

// refused returns an answer that contains only errors.
func refused(errs ...*problem) *result { return finish(&result{Errors: errs}) }

// finish completes an answer: it sets OK, and replaces missing lists of errors and warnings by
// empty ones.
func finish[A answer](a A) A {
	r := a.base()
	if r.Errors == nil {
		r.Errors = []*problem{}
	}
	if r.Warnings == nil {
		r.Warnings = []*problem{}
	}
	r.OK = len(r.Errors) == 0
	return a
}

// answerText encodes an answer as JSON.
func answerText(a answer) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		out.Reset()
		_ = e.Encode(refused(&problem{Message: fmt.Sprintf("the result cannot be encoded as JSON: %v", err), Reason: reasonInternal})) // an answer that contains only text can be encoded
	}
	return out.Bytes()
}
