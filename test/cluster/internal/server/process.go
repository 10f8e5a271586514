// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// stopTimeout is how long stop waits for a process before it kills the process.
const stopTimeout = 20 * time.Second

// process is a program that runs in the background.
type process struct {
	name, log string
	cmd       *exec.Cmd
	done      chan struct{}
	err       error // the result of the process; it is set before done is closed
}

// start starts a program in the folder dir, and writes its output to a file there.
func start(dir, name, binary string, args ...string) (*process, error) {
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &process{name: name, log: log.Name(), cmd: exec.Command(binary, args...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *process) dead() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop ends the process and waits for it. It does nothing for a nil process.
func (p *process) stop() error {
	if p == nil || p.dead() {
		return nil
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
		err := p.cmd.Process.Kill()
		<-p.done
		return err
	}
}
