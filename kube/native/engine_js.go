// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import "errors"

// Engine cannot run programs on this platform, so its methods Ask and Greeting always return an error.
type Engine struct{ path string }

// New returns an Engine whose methods Ask and Greeting always return an error.
func New(path, _ string, _ Limits) *Engine { return &Engine{path} }

func (e *Engine) failed() error {
	return &Error{Path: e.path, Err: errors.New("this platform cannot run programs")}
}

// Ask always returns an error.
func (e *Engine) Ask(*Request) (*Response, error) { return nil, e.failed() }

// Greeting always returns an error.
func (e *Engine) Greeting() (Greeting, error) { return Greeting{}, e.failed() }

// Close does nothing.
func (e *Engine) Close() error { return nil }
