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

// Engine runs the program for one Kubernetes release. The first request starts the
// program, and Close ends it. If the program ends early, the next request restarts it. An
// Engine is safe for concurrent use and handles one request at a time.
type Engine struct {
	path, release string
	limits        Limits

	mu       sync.Mutex
	greeting Greeting
	process  *process
}

// New returns an Engine for a release, such as 1.37. path is the path of the program for that
// release. New does not start the program.
func New(path, release string, limits Limits) *Engine {
	return &Engine{path: path, release: release, limits: limits.orDefault()}
}

// Ask sends a request, which must not be nil, and returns the response. It does not modify
// the request. If the running program ends before it answers, Ask restarts it and sends
// the request once more. The error is an *Error.
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
	answer, err := e.send(line)
	if errors.Is(err, errEnded) && running {
		// The program may have ended before this request.
		answer, err = e.send(line)
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

// Greeting returns the greeting of the program. It starts the program if necessary. The
// error is an *Error.
func (e *Engine) Greeting() (Greeting, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.start(); err != nil {
		return Greeting{}, e.failed(err)
	}
	return e.greeting, nil
}

// Close ends the program if it is running. A later request would start it again.
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

// failed kills the program and wraps err in an *Error.
func (e *Engine) failed(err error) error {
	failed := &Error{Path: e.path, Err: err}
	if e.process != nil {
		e.process.kill()
		failed.Output = e.process.output.String()
		e.process = nil
	}
	return failed
}

func (e *Engine) send(line []byte) ([]byte, error) {
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

// start starts the program, unless it is already running.
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
		return fmt.Errorf("it sent no greeting: %w", err)
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

// decode decodes a response. Integers in the response's object become int64.
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

// process is a running program with its input and output.
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

// exchange writes line to the program, unless line is nil, and reads one line of its
// output. If this takes longer than limit, exchange kills the program.
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

// end closes the program's standard input and waits for the program to end.
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

// tail is a writer that keeps only the last bytes written.
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
