// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package native

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	kjson "sigs.k8s.io/json"
)

func (l Limits) orDefault() Limits {
	if l.Start == 0 {
		l.Start = 30 * time.Second
	}
	if l.Answer == 0 {
		l.Answer = 10 * time.Second
	}
	if l.Line == 0 {
		l.Line = 64 << 20
	}
	return l
}

// Engine runs the program for one release. The program starts with the first request,
// runs until Close, and is restarted if it has ended. An Engine is safe for concurrent
// use. It handles requests in sequence.
type Engine struct {
	path, release string
	limits        Limits

	mu       sync.Mutex
	greeting Greeting
	process  *process
}

// New returns the Engine for a release, such as 1.37, whose program is at path. It does
// not start the program.
func New(path, release string, limits Limits) *Engine {
	return &Engine{path: path, release: release, limits: limits.orDefault()}
}

// Ask sends a request and returns the response. The request must not be nil, and is not
// modified. If the program was running and ends before it answers, Ask restarts it and
// sends the request once more. The error is an *Error.
func (e *Engine) Ask(r *Request) (*Response, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, &Error{Path: e.path, Err: err}
	}
	if len(line) >= e.limits.Line {
		return nil, &Error{Path: e.path, Err: fmt.Errorf("the request has %d bytes, more than the maximum of %d", len(line), e.limits.Line)}
	}
	line = append(line, '\n')
	e.mu.Lock()
	defer e.mu.Unlock()
	running := e.process != nil
	answer, err := e.ask(line)
	if errors.Is(err, errEnded) && running {
		// It may have ended between two requests.
		answer, err = e.ask(line)
	}
	if err != nil {
		return nil, e.failed(err)
	}
	response, err := decode(answer)
	if err != nil {
		return nil, e.failed(fmt.Errorf("its answer is invalid: %w", err))
	}
	return response, nil
}

// Greeting starts the program if it is not running, and returns its greeting. The error is an
// *Error.
func (e *Engine) Greeting() (Greeting, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.start(); err != nil {
		return Greeting{}, e.failed(err)
	}
	return e.greeting, nil
}

// Close ends the program if it is running. A later request starts it again.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.process == nil {
		return nil
	}
	p := e.process
	e.process = nil
	return p.end()
}

// failed kills the program and returns an *Error.
func (e *Engine) failed(err error) error {
	failed := &Error{Path: e.path, Err: err}
	if e.process != nil {
		e.process.kill()
		failed.Output = e.process.output.String()
		e.process = nil
	}
	return failed
}

func (e *Engine) ask(line []byte) ([]byte, error) {
	if err := e.start(); err != nil {
		return nil, err
	}
	answer, err := e.process.exchange(line, e.limits.Answer)
	if errors.Is(err, errEnded) {
		e.process.kill()
		e.process = nil
	}
	return answer, err
}

// start starts the program unless it is running.
func (e *Engine) start() error {
	if e.process != nil {
		return nil
	}
	p, err := startProcess(e.path, e.limits.Line)
	if err != nil {
		return err
	}
	e.process = p
	line, err := p.exchange(nil, e.limits.Start)
	if err != nil {
		return fmt.Errorf("no greeting: %w", err)
	}
	var greeting Greeting
	if err := json.Unmarshal(line, &greeting); err != nil || greeting.Protocol == 0 {
		return fmt.Errorf("not a dovetail-native program: its first line is not a greeting")
	}
	switch {
	case greeting.Protocol != Protocol:
		return fmt.Errorf("it has version %d of the protocol, want %d: install the version that belongs to this dovetail", greeting.Protocol, Protocol)
	case greeting.Release != e.release:
		return fmt.Errorf("it has the code of Kubernetes %s, want %s", greeting.Release, e.release)
	}
	e.greeting = greeting
	return nil
}

// decode decodes an answer. Integers in its object are int64.
func decode(line []byte) (*Response, error) {
	var raw struct {
		Response
		Object json.RawMessage `json:"object"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return nil, err
	}
	response := &raw.Response
	if len(raw.Object) > 0 {
		if err := kjson.UnmarshalCaseSensitivePreserveInts(raw.Object, &response.Object); err != nil {
			return nil, err
		}
	}
	if response.Object == nil && response.Status == nil && !response.Unknown {
		return nil, errors.New("it has neither an object nor a status")
	}
	return response, nil
}

// process is a running program.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	output  *tail
	line    int
}

func startProcess(path string, line int) (*process, error) {
	p := &process{command: exec.Command(path), output: &tail{}, line: line}
	p.command.Stderr = p.output
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	return p, p.command.Start()
}

var (
	errEnded = errors.New("the program ended")
	errLate  = errors.New("no answer in time")
)

// exchange writes line to the program, unless line is nil, and reads a line of
// output. If the program takes longer than limit, exchange kills it.
func (p *process) exchange(line []byte, limit time.Duration) ([]byte, error) {
	timer := time.AfterFunc(limit, func() { _ = p.command.Process.Kill() })
	answer, err := p.writeAndRead(line)
	if !timer.Stop() {
		return nil, fmt.Errorf("%w: %v", errLate, limit)
	}
	return answer, err
}

func (p *process) writeAndRead(line []byte) ([]byte, error) {
	if _, err := p.in.Write(line); err != nil {
		return nil, errEnded
	}
	var answer []byte
	for {
		part, err := p.out.ReadSlice('\n')
		if len(answer)+len(part) > p.line {
			return nil, fmt.Errorf("its answer has more than %d bytes", p.line)
		}
		answer = append(answer, part...)
		switch {
		case err == nil:
			return answer, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, errEnded
		}
	}
}

// end closes the standard input of the program and waits until it ends.
func (p *process) end() error {
	timer := time.AfterFunc(time.Second, func() { _ = p.command.Process.Kill() })
	defer timer.Stop()
	_ = p.in.Close()
	_, _ = io.Copy(io.Discard, p.out)
	return p.command.Wait()
}

func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.in.Close()
	_ = p.command.Wait()
}

// tail keeps the last bytes that are written to it.
type tail struct {
	mu   sync.Mutex
	last []byte
}

func (t *tail) Write(data []byte) (int, error) {
	const most = 2000
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, data...)
	if over := len(t.last) - most; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.last))
}
