// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command runs commands that write files, and kills them or makes their writes
// fail. Afterwards, each file must be the complete old file or the complete new file.
//
//	go run ./cmd/interrupted              # 500 runs
//	go run ./cmd/interrupted -n 60 -seed 7
//
// These are the disturbances: SIGINT, SIGKILL or SIGTERM at a random moment, a full disk, a
// limit on file sizes, a folder that is not writable, and a folder that disappears. In other
// runs, the output file is a pipe with or without a reader, a device, or a cycle of links.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// patience is the maximum duration of a run. If a command runs longer, it is killed and the
// run fails.
const patience = 2 * time.Minute

func main() {
	n := flag.Int("n", 500, "number of runs")
	seed := flag.Uint64("seed", 1, "seed of random numbers")
	flag.Parse()
	if err := run(*n, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "interrupted:", err)
		os.Exit(1)
	}
}

// writer is a command that writes files. It also has the expected contents of these files.
type writer struct {
	name string
	// args are the program and its arguments. dir is its working folder.
	args []string
	dir  string
	// out is the folder with the command's output files. The field at is the path of an output
	// file that disturbances can replace, for example by a pipe.
	out, at string
	// old and fresh map the names of the files in out to their contents: old before the command
	// runs, and fresh after it has succeeded.
	old, fresh map[string]string
	// took is the duration of an undisturbed run.
	took time.Duration
	// slow is true if the command computes for a while before it writes.
	slow bool
}

func run(n int, seed uint64) error {
	base, err := os.MkdirTemp("", "interrupted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	if err := os.Chmod(base, 0o755); err != nil { // some commands run as a different user
		return err
	}
	writers, err := prepare(base)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 6))
	type tally struct{ runs, old, fresh int }
	told := map[string]*tally{}
	for i := range n {
		w := writers[i%len(writers)]
		if w.slow && r.IntN(4) > 0 {
			w = writers[r.IntN(2)]
		}
		d := disturbances[r.IntN(len(disturbances))]
		state, err := w.disturbed(d, r)
		if err != nil {
			return fmt.Errorf("run %d of seed %d, %s, %s: %w", i, seed, w.name, d.name, err)
		}
		key := w.name + ", " + d.name
		if told[key] == nil {
			told[key] = &tally{}
		}
		told[key].runs++
		switch state {
		case "old":
			told[key].old++
		case "new":
			told[key].fresh++
		}
	}
	var keys []string
	for key := range told {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	fmt.Printf("%-52s %5s %9s %9s\n", "command, disturbance", "runs", "all old", "all new")
	for _, key := range keys {
		fmt.Printf("%-52s %5d %9d %9d\n", key, told[key].runs, told[key].old, told[key].fresh)
	}
	fmt.Printf("%d runs: every file is the complete old or new one\n", n)
	return nil
}

// prepare builds the commands and creates their old and new files. It runs each command once
// or twice without a disturbance.
func prepare(base string) ([]*writer, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	tools := map[string]string{}
	for name, pkg := range map[string]string{"dovetail": "./cmd/dovetail", "dovetail-gen": "./gen/cmd/dovetail-gen"} {
		tools[name] = filepath.Join(base, name)
		c := exec.Command("go", "build", "-o", tools[name], pkg)
		c.Dir = root
		c.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"), "GOFLAGS=")
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w:\n%s", err, out)
		}
	}

	page := &writer{name: "owners --html", dir: filepath.Join(base, "page"), out: "out", at: "out/page.html"}
	page.args = []string{tools["dovetail"], "owners", "-f", "live.yaml", "--html", "out/page.html"}
	if err := os.MkdirAll(filepath.Join(page.dir, "out"), 0o755); err != nil {
		return nil, err
	}
	if err := page.input("live.yaml", configMap("before", 4000)); err != nil {
		return nil, err
	}
	if err := page.first(); err != nil {
		return nil, err
	}
	if err := page.input("live.yaml", configMap("after", 4000)); err != nil {
		return nil, err
	}

	man := &writer{name: "man", dir: filepath.Join(base, "man"), out: "out", at: "out/dovetail-apply.1"}
	man.args = []string{tools["dovetail"], "man", "out"}
	if err := os.MkdirAll(filepath.Join(man.dir, "out"), 0o755); err != nil {
		return nil, err
	}
	if err := man.first(); err != nil {
		return nil, err
	}
	for name := range man.old { // replace the pages, as if an older release had written them
		man.old[name] = ".TH OLD\n"
	}

	gen := &writer{name: "dovetail-gen --fix", dir: filepath.Join(base, "gen"), out: ".", at: "config/openapi.json", slow: true}
	gen.args = []string{tools["dovetail-gen"], "--fix", "./api/..."}
	if err := copyModule(filepath.Join(root, "examples/proxy"), gen.dir, root); err != nil {
		return nil, err
	}
	types, err := filepath.Glob(filepath.Join(gen.dir, "api/*/types.go"))
	if err != nil || len(types) == 0 {
		return nil, fmt.Errorf("no types.go in examples/proxy: %v", err)
	}
	text, err := os.ReadFile(types[0])
	if err != nil {
		return nil, err
	}
	// Add a field whose marker has a mistake that --fix repairs.
	at := bytes.Index(text, []byte(" struct {\n"))
	more := "\t// Interrupted is one more field.\n\t// +default=text\n\t// +optional\n\tInterrupted string `json:\"interrupted,omitempty\"`\n"
	text = []byte(string(text[:at]) + " struct {\n" + more + string(text[at+len(" struct {\n"):]))
	if err := os.WriteFile(types[0], text, 0o644); err != nil {
		return nil, err
	}
	if gen.old, err = gen.files(); err != nil {
		return nil, err
	}

	all := []*writer{page, man, gen}
	for _, w := range all {
		if err := w.restore(); err != nil {
			return nil, err
		}
		start := time.Now()
		if status, text, err := w.start(nil).wait(); err != nil || status != 0 {
			return nil, fmt.Errorf("%s: status %d, %v\n%s", w.name, status, err, text)
		}
		w.took = time.Since(start)
		if w.fresh, err = w.files(); err != nil {
			return nil, err
		}
		differ := 0
		for name := range w.fresh {
			if w.fresh[name] != w.old[name] {
				differ++
			}
		}
		if differ == 0 {
			return nil, fmt.Errorf("%s writes the same files again", w.name)
		}
		fmt.Printf("%s: %d files, %d of them new, %v\n", w.name, len(w.fresh), differ, w.took.Round(time.Millisecond))
	}
	return all, nil
}

func configMap(value string, keys int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\n  managedFields:\n  - {manager: helm, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, time: \"2026-01-01T00:00:00Z\", fieldsV1: {\"f:data\": {}}}\ndata:\n")
	for i := range keys {
		fmt.Fprintf(&b, "  key-%d: %s\n", i, value)
	}
	return b.String()
}

// copyModule copies a module to a folder outside of the repository. The copy still uses the
// modules of the repository.
func copyModule(from, to, root string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	os.Remove(filepath.Join(to, "go.work"))
	mod, err := os.ReadFile(filepath.Join(to, "go.mod"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "go.mod"), bytes.ReplaceAll(mod, []byte("=> ../.."), []byte("=> "+root)), 0o644)
}

func (w *writer) input(name, text string) error {
	return os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644)
}

// first runs the command for the first time, which creates the old files.
func (w *writer) first() (err error) {
	if status, text, err := w.start(nil).wait(); err != nil || status != 0 {
		return fmt.Errorf("%s: status %d, %v\n%s", w.name, status, err, text)
	}
	w.old, err = w.files()
	return err
}

// files returns the files in out. It ignores names that begin with a dot, because a killed
// command may leave such files.
func (w *writer) files() (map[string]string, error) {
	all := map[string]string{}
	base := filepath.Join(w.dir, w.out)
	err := filepath.WalkDir(base, func(path string, e os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(base, path)
		all[name] = string(text)
		return err
	})
	return all, err
}

// restore writes the old files again and removes all other files.
func (w *writer) restore() error {
	base := filepath.Join(w.dir, w.out)
	if err := os.RemoveAll(base); err != nil {
		return err
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return err
	}
	for name, text := range w.old {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// running is a command that has been started.
type running struct {
	*exec.Cmd
	stderr *bytes.Buffer
	done   chan error
}

// start starts the command. The argument is nil, or a function that changes the command before it
// starts.
func (w *writer) start(before func(*exec.Cmd)) *running {
	c := exec.Command(w.args[0], w.args[1:]...)
	c.Dir = w.dir
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	p := &running{c, &bytes.Buffer{}, make(chan error, 1)}
	c.Stderr = p.stderr
	if before != nil {
		before(c)
	}
	if err := c.Start(); err != nil {
		p.done <- err
		return p
	}
	go func() { p.done <- c.Wait() }()
	return p
}

// wait waits for the command and returns its exit status. The status is -1 if a signal ended
// the command.
func (p *running) wait() (status int, stderr string, err error) {
	select {
	case err = <-p.done:
	case <-time.After(patience):
		p.Process.Kill()
		<-p.done
		return 0, "", fmt.Errorf("still running after %v", patience)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), p.stderr.String(), nil
	}
	return 0, p.stderr.String(), err
}

// check compares the current files with the old and the new files. It returns "old" if all files
// are old, "new" if all are new, and "both" if some are old and some are new. It fails if a file
// is incomplete or missing. Only the files in the argument "spoiled" may be missing.
func (w *writer) check(spoiled ...string) (string, error) {
	got, err := w.files()
	if err != nil {
		return "", err
	}
	old, fresh := true, true
	for name, text := range got {
		before, had := w.old[name]
		after, has := w.fresh[name]
		isOld, isNew := had && text == before, has && text == after
		if !isOld && !isNew {
			return "", fmt.Errorf("%s has %d bytes, want %d (as before the command) or %d (as after it)", name, len(text), len(before), len(after))
		}
		old, fresh = old && isOld, fresh && isNew
	}
	for name := range w.old {
		if _, there := got[name]; !there && w.fresh[name] != "" && !slices.Contains(spoiled, filepath.Join(w.out, name)) {
			return "", fmt.Errorf("%s is gone", name)
		}
	}
	switch {
	case old:
		return "old", nil
	case fresh:
		return "new", nil
	}
	return "both", nil
}

// refused checks that a command that could not write its files failed in the right way: with an
// error status and a message, but without a Go stack trace.
func refused(status int, stderr string) error {
	if status == 0 || status == -1 || strings.Contains(stderr, "goroutine") || !strings.Contains(stderr, "\n") {
		return fmt.Errorf("status %d: %.300s", status, stderr)
	}
	return nil
}

func (w *writer) signalled(signal os.Signal, r *rand.Rand) (string, error) {
	p := w.start(nil)
	time.Sleep(time.Duration(r.Int64N(int64(w.took + w.took/8))))
	if err := p.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return "", err
	}
	if _, stderr, err := p.wait(); err != nil || strings.Contains(stderr, "goroutine") {
		return "", fmt.Errorf("%v %s", err, stderr)
	}
	return w.check()
}

// disturbance is a way to disturb a run. Its function runs the command in a folder with the old
// files, disturbs the run, and returns the result of check.
type disturbance struct {
	name string
	do   func(w *writer, r *rand.Rand) (string, error)
}

var disturbances = []disturbance{
	{"SIGINT", func(w *writer, r *rand.Rand) (string, error) { return w.signalled(os.Interrupt, r) }},
	{"SIGKILL", func(w *writer, r *rand.Rand) (string, error) { return w.signalled(os.Kill, r) }},
	{"SIGTERM", func(w *writer, r *rand.Rand) (string, error) { return w.signalled(syscall.SIGTERM, r) }},
	{"a limit on file sizes", func(w *writer, r *rand.Rand) (string, error) {
		limit := 1 + r.IntN(16) // the unit is 512 or 1024 bytes
		status, stderr, err := w.start(func(c *exec.Cmd) {
			c.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, limit), "sh"}, c.Args...)
			c.Path = "/bin/sh"
		}).wait()
		if err != nil || status == 3 && !strings.Contains(stderr, "\n") {
			return "", fmt.Errorf("status %d, %v: %s", status, err, stderr)
		}
		return w.check()
	}},
	{"a full disk", fullDisk},
	{"a directory that is not writable", func(w *writer, _ *rand.Rand) (string, error) {
		return w.asNobody(0o555)
	}},
	{"a directory that vanishes", func(w *writer, r *rand.Rand) (string, error) {
		p := w.start(nil)
		time.Sleep(time.Duration(r.Int64N(int64(w.took))))
		dir := filepath.Dir(filepath.Join(w.dir, w.at))
		if err := os.Rename(dir, dir+".gone"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		_, stderr, err := p.wait()
		if err != nil || strings.Contains(stderr, "goroutine") {
			return "", fmt.Errorf("%v %s", err, stderr)
		}
		os.RemoveAll(dir)
		if err := os.Rename(dir+".gone", dir); err != nil {
			return "", err
		}
		return w.check()
	}},
	{"a pipe without a reader", func(w *writer, _ *rand.Rand) (string, error) {
		if err := w.replace(func(name string) error { return syscall.Mkfifo(name, 0o644) }); err != nil {
			return "", err
		}
		status, stderr, err := w.start(nil).wait()
		if err == nil {
			err = refused(status, stderr)
		}
		if err != nil {
			return "", err
		}
		return w.check(w.at)
	}},
	{"a pipe with a reader", func(w *writer, _ *rand.Rand) (string, error) {
		if err := w.replace(func(name string) error { return syscall.Mkfifo(name, 0o644) }); err != nil {
			return "", err
		}
		f, err := os.OpenFile(filepath.Join(w.dir, w.at), os.O_RDWR, 0) // opening a pipe for reading and writing does not wait for a writer
		if err != nil {
			return "", err
		}
		name, _ := filepath.Rel(w.out, w.at)
		got := make([]byte, len(w.fresh[name]))
		read := make(chan error, 1)
		go func() {
			for at := 0; at < len(got); {
				n, err := f.Read(got[at:])
				if at += n; err != nil {
					read <- err
					return
				}
			}
			read <- nil
		}()
		status, stderr, err := w.start(nil).wait()
		if err != nil || status != 0 {
			f.Close()
			return "", fmt.Errorf("status %d, %v: %s", status, err, stderr)
		}
		select {
		case err = <-read:
		case <-time.After(patience):
			err = errors.New("the reader still waits for data")
		}
		f.Close()
		if err != nil || string(got) != w.fresh[name] {
			return "", fmt.Errorf("the reader received something else: %v", err)
		}
		return w.check(w.at)
	}},
	{"a device that is full", fullDevice},
	{"links to each other", func(w *writer, _ *rand.Rand) (string, error) {
		err := w.replace(func(name string) error {
			return errors.Join(os.Symlink(filepath.Base(name)+".2", name), os.Symlink(filepath.Base(name), name+".2"))
		})
		if err != nil {
			return "", err
		}
		status, stderr, err := w.start(nil).wait()
		if err == nil {
			err = refused(status, stderr)
		}
		if err != nil {
			return "", err
		}
		return w.check(w.at)
	}},
}

// replace removes the output file w.at. The given function then creates something else in its
// place, such as a pipe.
func (w *writer) replace(create func(name string) error) error {
	name := filepath.Join(w.dir, w.at)
	if err := os.Remove(name); err != nil {
		return err
	}
	return create(name)
}

// asNobody sets the mode of the output folder, and runs the command as a user who may not
// write there.
func (w *writer) asNobody(mode os.FileMode) (string, error) {
	dir := filepath.Dir(filepath.Join(w.dir, w.at))
	if err := os.Chmod(dir, mode); err != nil {
		return "", err
	}
	defer os.Chmod(dir, 0o755)
	status, stderr, err := w.start(func(c *exec.Cmd) {
		if os.Getuid() == 0 {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		c.Env = append(c.Env, "HOME=/nonexistent", "GOFLAGS=-mod=mod")
	}).wait()
	if err == nil {
		err = refused(status, stderr)
	}
	if err != nil {
		return "", err
	}
	return w.check()
}

func fullDevice(w *writer, _ *rand.Rand) (string, error) {
	if err := w.replace(func(name string) error { return os.Symlink("/dev/full", name) }); err != nil {
		return "", err
	}
	status, stderr, err := w.start(nil).wait()
	if err == nil {
		err = refused(status, stderr)
	}
	if err != nil {
		return "", err
	}
	return w.check(w.at)
}

// fullDisk mounts a disk that is too small for the output. If the user cannot mount a disk, it
// replaces the output file by a link to /dev/full.
func fullDisk(w *writer, r *rand.Rand) (string, error) {
	if os.Getuid() != 0 || w.out == "." {
		return fullDevice(w, r)
	}
	base := filepath.Join(w.dir, w.out)
	size := 0
	for _, text := range w.old {
		size += (len(text) + 4095) &^ 4095
	}
	if err := syscall.Mount("tmpfs", base, "tmpfs", 0, fmt.Sprintf("size=%d", size+4096*(2+r.IntN(4)))); err != nil {
		return fullDevice(w, r)
	}
	defer syscall.Unmount(base, 0)
	for name, text := range w.old {
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	if w.name == "man" { // man pages are small, so first fill the disk with other files
		for i := 0; ; i++ {
			if err := os.WriteFile(filepath.Join(base, fmt.Sprintf(".fill-%d", i)), make([]byte, 4096), 0o644); err != nil {
				break
			}
		}
	}
	status, stderr, err := w.start(nil).wait()
	if err == nil {
		err = refused(status, stderr)
	}
	if err != nil {
		return "", err
	}
	return w.check()
}

// disturbed restores the old files, and then runs the command once with a disturbance.
func (w *writer) disturbed(d disturbance, r *rand.Rand) (string, error) {
	if err := w.restore(); err != nil {
		return "", err
	}
	return d.do(w, r)
}
