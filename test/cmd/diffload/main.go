// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command diffload runs dovetail commands on many objects. It fails if a command takes too much
// CPU time or memory. It measures these three cases:
//
//   - `dovetail diff` compares objects of several built-in kinds. The live objects have defaults,
//     a status, and the managed fields of three managers.
//   - `dovetail diff` compares many Deployments. It must not read all of them at once, so the
//     memory that it needs must not depend on their number.
//   - `dovetail doctor --stats` reads any number of objects as NDJSON.
//
// Usage:
//
//	go run ./cmd/diffload                  # 1,000 objects, 2,000 Deployments, 20,000 lines
//	go run ./cmd/diffload -views           # every view
//	go run ./cmd/diffload -full -idle      # 20,000 Deployments and 1,000,000 lines, on an idle machine
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// bounds are the maximum costs of a run.
type bounds struct {
	// cpu is the maximum CPU time for 1,000 objects, on a machine of the usual speed. memory is
	// the maximum memory in MB, for all objects. share is the maximum ratio of elapsed time to
	// CPU time, on an idle machine with two processors; 0 means no maximum.
	cpu    time.Duration
	memory int64
	share  float64
}

// These are the bounds of the three commands.
var (
	mixedBounds      = bounds{cpu: 2 * time.Second, memory: 200}
	deploymentBounds = bounds{cpu: time.Second, memory: 250, share: 0.6}
	lineBounds       = bounds{cpu: time.Second, memory: 250}
)

type options struct {
	mixed, deployments, lines int
	views, idle               bool
	keep                      string
}

func main() {
	var o options
	flag.IntVar(&o.mixed, "objects", 1000, "number of objects of mixed kinds")
	flag.IntVar(&o.deployments, "deployments", 2000, "number of Deployments")
	flag.IntVar(&o.lines, "lines", 20_000, "number of objects as NDJSON")
	full := flag.Bool("full", false, "20,000 Deployments and 1,000,000 lines, with 2 GB of files")
	flag.BoolVar(&o.views, "views", false, "measure every view of mixed kinds, not only that of fields")
	flag.BoolVar(&o.idle, "idle", false, "also check the elapsed time; needs an idle machine")
	flag.StringVar(&o.keep, "keep", "", "`directory` in which to keep the program and the files")
	flag.Parse()
	if *full {
		o.deployments, o.lines = 20_000, 1_000_000
	}
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "diffload:", err)
		os.Exit(1)
	}
}

func (o *options) run() error {
	dir := o.keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "diffload"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	tool, err := gocmd.Dovetail(dir)
	if err != nil {
		return err
	}
	m := &measurement{tool: tool, dir: dir, idle: o.idle}
	if o.mixed > 0 {
		args, err := m.diff("mixed", kinds, o.mixed)
		if err != nil {
			return err
		}
		runs := [][]string{nil}
		if o.views {
			runs = append(runs, []string{"--show-defaults"}, []string{"--view=unified"}, []string{"--view=side-by-side"})
		}
		for _, view := range runs {
			if err := m.measure("objects", o.mixed, append(args[:len(args):len(args)], view...), mixedBounds, view...); err != nil {
				return err
			}
		}
	}
	if o.deployments > 0 {
		args, err := m.diff("deployments", []string{"Deployment"}, o.deployments)
		if err != nil {
			return err
		}
		if err := m.measure("Deployments", o.deployments, args, deploymentBounds); err != nil {
			return err
		}
	}
	if o.lines > 0 {
		file, err := m.lines(o.lines)
		if err != nil {
			return err
		}
		return m.measure("lines", o.lines, []string{"doctor", "-f", file, "--stats"}, lineBounds, "--stats")
	}
	return nil
}

// measurement has the program to measure, and a folder for the test files.
type measurement struct {
	tool, dir string
	idle      bool
}

// diff writes a file with the new configs of some objects, and a file with the live objects. It
// returns the arguments for a dovetail diff with these files. The live objects were applied with
// an earlier config. About every tenth new config differs from the earlier one. The live objects
// also contain a status and the fields that a server and controllers set.
func (m *measurement) diff(name string, kinds []string, count int) (args []string, err error) {
	write := func(what string, live bool, changed func(n int) bool, leftOut ...string) (string, error) {
		path := filepath.Join(m.dir, name+"-"+what+".yaml")
		return path, intoFile(path, func(w io.Writer) error { return documents(w, kinds, count, live, changed, leftOut) })
	}
	never := func(int) bool { return false }
	first, err := write("first", false, never)
	if err != nil {
		return nil, err
	}
	full, err := write("full", true, never)
	if err != nil {
		return nil, err
	}
	status, err := write("status", true, never, noStatus...)
	if err != nil {
		return nil, err
	}
	config, err := write("config", false, func(n int) bool { return n/len(kinds)%10 == 0 })
	if err != nil {
		return nil, err
	}
	live := ""
	for i, args := range [][]string{
		{"apply", "-f", first, "--field-manager", "gitops", "--time", "2026-03-01T10:00:00Z"},
		{"update", "-f", full, "--field-manager", "kube-controller-manager", "--time", "2026-03-01T10:00:01Z"},
		{"update", "-f", status, "--field-manager", "kubelet", "--subresource", "status", "--time", "2026-03-01T10:00:02Z"},
	} {
		if live != "" {
			args = append(args, "--live", live)
		}
		live = filepath.Join(m.dir, fmt.Sprintf("%s-live%d.yaml", name, i))
		var stderr bytes.Buffer
		err := intoFile(live, func(w io.Writer) error {
			c := exec.Command(m.tool, args...)
			c.Stdout, c.Stderr = w, &stderr
			return c.Run()
		})
		if err != nil {
			return nil, fmt.Errorf("%v: %w\n%.2000s", args, err, stderr.String())
		}
	}
	if err := m.appendNoStatus(name); err != nil {
		return nil, err
	}
	return []string{"diff", "-f", config, "--live", live, "--field-manager", "gitops"}, nil
}

// appendNoStatus appends the objects without a status to the live objects of the last update, which only
// updates the others.
func (m *measurement) appendNoStatus(name string) error {
	before, err := os.ReadFile(filepath.Join(m.dir, name+"-live1.yaml"))
	if err != nil {
		return err
	}
	last, err := os.OpenFile(filepath.Join(m.dir, name+"-live2.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, document := range strings.Split("\n"+string(before), "\n---\n") {
		if slices.ContainsFunc(noStatus, func(kind string) bool { return strings.Contains(document, "\nkind: "+kind+"\n") }) {
			if _, err := last.WriteString("---\n" + strings.TrimSpace(document) + "\n"); err != nil {
				return errors.Join(err, last.Close())
			}
		}
	}
	return last.Close()
}

// lines writes a file with the given number of live objects, one per line. The objects have the
// kinds in smallKinds, in turn.
func (m *measurement) lines(count int) (file string, err error) {
	args, err := m.diff("lines", smallKinds, len(smallKinds))
	if err != nil {
		return "", err
	}
	c := exec.Command(m.tool, "doctor", "-f", args[4], "--fix", "-o", "ndjson")
	text, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return "", err
	}
	objects, err := objectsOf(text)
	if err != nil {
		return "", err
	}
	file = filepath.Join(m.dir, "lines.ndjson")
	return file, intoFile(file, func(w io.Writer) error {
		for n := range count {
			if _, err := w.Write(objects[n%len(objects)](n)); err != nil {
				return err
			}
		}
		return nil
	})
}

// intoFile creates a file and fills it with the given function.
func intoFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// lineCounter is a writer that counts lines.
type lineCounter int

func (n *lineCounter) Write(p []byte) (int, error) {
	*n += lineCounter(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// measure runs a command and checks its costs. Every command must exit with status 1, and
// doctor may also exit with 0.
func (m *measurement) measure(name string, count int, args []string, most bounds, shown ...string) error {
	c := exec.Command(m.tool, args...)
	var stderr bytes.Buffer
	var lines lineCounter
	c.Stdout, c.Stderr = &lines, &stderr
	slow := slowness()
	start := time.Now()
	err := c.Run()
	took := time.Since(start)
	slow = max(slow, slowness())
	var exit *exec.ExitError
	if (!errors.As(err, &exit) || exit.ExitCode() != 1) && !(err == nil && args[0] == "doctor") {
		return fmt.Errorf("%v: want exit status 1, got %w\n%.2000s", args, err, stderr.String())
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	memory := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	each := cpu * 1000 / time.Duration(count)
	share := took.Seconds() / cpu.Seconds()
	fmt.Printf("%d %s, %s %v: %.2f s of CPU, %.2f s for 1,000, elapsed time %.2f times the CPU time; %d MB, %d lines; processors are %.2f times as slow as usual\n",
		count, name, args[0], shown, cpu.Seconds(), each.Seconds(), share, memory, lines, slow)
	if each.Seconds() > most.cpu.Seconds()*slow || memory > most.memory {
		return fmt.Errorf("want at most %v of processor time for 1,000 objects (times %.2f, the current speed of this machine), and %d MB", most.cpu, slow, most.memory)
	}
	if m.idle && most.share > 0 && share > most.share {
		return fmt.Errorf("want an elapsed time of at most %.2f times the CPU time", most.share)
	}
	return nil
}
