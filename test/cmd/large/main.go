// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command runs every command of dovetail on input that is far larger than any real
// object: 100,000 entries of managed fields, one FieldsV1 of 50 MB, a list of 1,000,000 items,
// a definition of 20,000 fields, and objects of several shapes with the maximum number of
// values. Each command must succeed or report an error, and must not exceed bounds of CPU time
// and memory. The output is a table.
//
//	go run ./cmd/large                 # all
//	go run ./cmd/large -only doctor    # command lines that contain this text
//	go run ./cmd/large -of bound       # inputs whose names contain this text
//	go run ./cmd/large -part 10        # a tenth of the sizes
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// These are the limits for each command.
const (
	maxCPU    = 60 * time.Second
	maxMemory = 6 << 30
	patience  = 5 * time.Minute
)

func main() {
	only := flag.String("only", "", "run only command lines that contain this text")
	of := flag.String("of", "", "use only inputs whose names contain this text")
	part := flag.Int("part", 1, "divide all sizes by this")
	keep := flag.String("keep", "", "`directory` in which to keep the program and the files")
	flag.Parse()
	if err := run(*only, *of, *part, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "large:", err)
		os.Exit(1)
	}
}

// input writes the files of one large input, such as live.json, config.json and crd.json.
type input struct {
	name  string
	write func(dir string, part int) error
}

var inputs = []input{
	{"100,000 entries", func(dir string, part int) error { return entries(dir, 100_000/part) }},
	{"FieldsV1 of 50 MB", func(dir string, part int) error { return fieldsV1(dir, 50<<20/part) }},
	{"1,000,000 items", func(dir string, part int) error { return items(dir, 1_000_000/part, 1) }},
	// An object may have a limited number of values, so the sizes depend on how values are
	// counted. A list item counts as three values in the object, and as four values in
	// FieldsV1. A map key counts as one value in both.
	{"FieldsV1 at the bound", func(dir string, part int) error { return fieldsV1(dir, bound/part*len(keyField)) }},
	{"items at the bound", func(dir string, part int) error { return items(dir, bound/part/3, 1) }},
	{"items at the bound in conflict", func(dir string, part int) error { return items(dir, bound/part/7, bound) }},
	{"keys at the bound in conflict", func(dir string, part int) error { return keys(dir, bound/part/2) }},
}

// bound is the number of values that dovetail accepts in an object (SECURITY.md), minus the
// values that every object of this test has.
const bound = 1<<20 - 50

var commands = []string{
	"apply -f config.json --live live.json --field-manager m-1",
	"apply -f config.json --live live.json --field-manager other",
	"apply -f config.json --live live.json --field-manager other --force-conflicts",
	"apply -f config.json --live live.json --field-manager other --yield",
	"apply -f config.json --live live.json --field-manager other -o report",
	"update -f config.json --live live.json --field-manager other",
	"diff -f config.json --live live.json --field-manager other",
	"diff -f config.json --live live.json --field-manager m-1 --view unified",
	"diff -f config.json --live live.json --field-manager m-1 --view side-by-side",
	"diff -f config.json --live live.json --field-manager m-1 --show-defaults -o report",
	"default -f live.json",
	"validate -f live.json",
	"validate -f live.json --owned-defaults",
	"immutable --old live.json --new config.json",
	"owners -f live.json",
	"owners -f live.json -o report",
	"owners -f live.json --html page.html",
	"extract -f live.json --field-manager m-1",
	"doctor -f live.json",
	"doctor -f live.json --stats",
	"doctor -f live.json --fix",
	"migrate -f live.json --from m-1 --to other",
	"upgrade-check --old-crd crd.json --new-crd crd2.json -f live.json",
}

var definitions = []string{
	"lint crd.json",
	"lint crd.json --fix",
	"cel crd.json",
	"schema --crd crd.json --type ex.io/v1/Large",
	"schema --crd crd.json --type ex.io/v1/Large --show-defaults",
	"upgrade-check --old-crd crd.json --new-crd crd2.json",
	"validate -f object.json --crd crd.json",
	"default -f object.json --crd crd.json",
	"apply -f object.json --crd crd.json --field-manager m",
	"immutable --old object.json --new object2.json --crd crd.json",
}

func run(only, command string, part int, keep string) error {
	base := keep
	if base == "" {
		var err error
		if base, err = os.MkdirTemp("", "large"); err != nil {
			return err
		}
		defer os.RemoveAll(base)
	}
	tool, err := gocmd.Dovetail(base)
	if err != nil {
		return err
	}
	failed := 0
	table := func(name string, write func(string, int) error, lines []string) error {
		if !strings.Contains(name, command) {
			return nil
		}
		dir := filepath.Join(base, strings.Map(onlyLetters, name))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := write(dir, part); err != nil {
			return err
		}
		fmt.Printf("\n%-82s %7s %8s  %s\n", name, "CPU s", "MB", "status")
		for _, line := range lines {
			if strings.Contains(line, only) && !measure(tool, dir, line) {
				failed++
			}
		}
		return nil
	}
	for _, in := range inputs {
		if err := table(in.name, in.write, commands); err != nil {
			return err
		}
	}
	if err := table("a definition of 20,000 fields", func(dir string, part int) error { return definition(dir, 20_000/part) }, definitions); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d commands use more than %v of CPU or %d MB, or fail without a proper message", failed, maxCPU, maxMemory>>20)
	}
	return nil
}

func onlyLetters(c rune) rune {
	if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
		return c
	}
	return -1
}

// measure runs one command and prints its line of the table. It reports whether the command
// stayed within the limits and ended without an internal error.
func measure(tool, dir, line string) bool {
	c := exec.Command(tool, strings.Fields(line)...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	stop := time.AfterFunc(patience, func() { c.Process.Kill() })
	err := c.Run()
	stop.Stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Println(line, err)
		return false
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	memory := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	status := c.ProcessState.ExitCode()
	good := cpu <= maxCPU && memory <= maxMemory && status >= 0 && status <= 4 && !strings.Contains(stderr.String(), "internal error")
	said := ""
	if status == 3 {
		said, _, _ = strings.Cut(stderr.String(), "\n")
	}
	mark := ""
	if !good {
		mark = "  ABOVE"
	}
	fmt.Printf("%-82s %7.1f %8d  %d %.70s%s\n", line, cpu.Seconds(), memory>>20, status, said, mark)
	return good
}

// file creates a file and fills it with the given function.
func file(dir, name string, write func(w *bufio.Writer)) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	write(w)
	return errors.Join(w.Flush(), f.Close())
}

// list writes n parts, each with a call of the given function, and commas between the parts.
func list(w *bufio.Writer, n int, piece func(i int)) {
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		piece(i)
	}
}

const entry = `{"manager":%q,"operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":`

// crds writes two CRDs, which upgrade-check compares.
func crds(dir string) error {
	for i, name := range []string{"crd.json", "crd2.json"} {
		if err := file(dir, name, func(w *bufio.Writer) { crd(w, 10, i) }); err != nil {
			return err
		}
	}
	return nil
}

// entries writes an object with n managers. Each of them owns one field.
func entries(dir string, n int) error {
	object := func(value string, managed bool) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			w.WriteString(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large","uid":"u"`)
			if managed {
				w.WriteString(`,"managedFields":[`)
				list(w, n, func(i int) {
					fmt.Fprintf(w, entry+`{"f:data":{"f:key-%d":{}}}}`, fmt.Sprintf("m-%d", i), i)
				})
				w.WriteString(`]`)
			}
			w.WriteString(`},"data":{`)
			list(w, n, func(i int) { fmt.Fprintf(w, `"key-%d":%q`, i, value) })
			w.WriteString(`}}`)
		}
	}
	return errors.Join(file(dir, "live.json", object("old", true)), file(dir, "config.json", object("new", false)), crds(dir))
}

// keyField is one field in FieldsV1.
const keyField = `"f:key-1234567":{},`

// fieldsV1 writes an object with one manager. The manager's FieldsV1 has about the given number
// of bytes.
func fieldsV1(dir string, size int) error {
	n := size / len(keyField)
	live := func(w *bufio.Writer) {
		w.WriteString(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large","uid":"u","managedFields":[`)
		fmt.Fprintf(w, entry+`{"f:data":{`, "m-1")
		list(w, n, func(i int) { fmt.Fprintf(w, `"f:key-%07d":{}`, i) })
		w.WriteString(`}}}]},"data":{"key-0000001":"old"}}`)
	}
	config := func(w *bufio.Writer) {
		w.WriteString(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large"},"data":{"key-0000001":"new"}}`)
	}
	return errors.Join(file(dir, "live.json", live), file(dir, "config.json", config), crds(dir))
}

// keys writes an object with a map of n keys. The manager owns all n keys.
func keys(dir string, n int) error {
	object := func(value string, managed bool) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			w.WriteString(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large","uid":"u"`)
			if managed {
				fmt.Fprintf(w, `,"managedFields":[`+entry+`{"f:data":{`, "m-1")
				list(w, n, func(i int) { fmt.Fprintf(w, `"f:key-%07d":{}`, i) })
				w.WriteString(`}}}]`)
			}
			w.WriteString(`},"data":{`)
			list(w, n, func(i int) { fmt.Fprintf(w, `"key-%07d":%q`, i*7919%n, value) })
			w.WriteString(`}}`)
		}
	}
	return errors.Join(file(dir, "live.json", object("old", true)), file(dir, "config.json", object("new", false)), crds(dir))
}

// items writes an object with a list of n items. The list has two keys, and one of them has a
// default. The manager owns the given number of the items, at most n.
func items(dir string, n, owned int) error {
	object := func(value string, managed bool) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			w.WriteString(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"large","uid":"u"`)
			if managed {
				fmt.Fprintf(w, `,"managedFields":[`+entry+`{"f:spec":{"f:ports":{`, "m-1")
				list(w, min(n, owned), func(i int) {
					fmt.Fprintf(w, `"k:{\"port\":%d,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:targetPort":{}}`, (i+7)%n)
				})
				w.WriteString(`}}}}]`)
			}
			w.WriteString(`},"spec":{"ports":[`)
			list(w, n, func(i int) { fmt.Fprintf(w, `{"port":%d,"targetPort":%s}`, i*7919%n, value) })
			w.WriteString(`]}}`)
		}
	}
	return errors.Join(file(dir, "live.json", object("1", true)), file(dir, "config.json", object("2", false)), crds(dir))
}

// crd writes a CRD with n fields. Every third field is immutable, and every fifth field has a
// default. The number in "change" is part of each description, so that two CRDs can differ.
func crd(w *bufio.Writer, n, change int) {
	w.WriteString(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"larges.ex.io"},"spec":{"group":"ex.io","scope":"Namespaced","names":{"kind":"Large","listKind":"LargeList","plural":"larges","singular":"large"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{`)
	list(w, n, func(i int) {
		fmt.Fprintf(w, `"field%d":{"type":"string","maxLength":64,"description":"change %d"`, i, change)
		if i%3 == 0 {
			w.WriteString(`,"x-kubernetes-immutable":true`)
		}
		if i%5 == 0 {
			w.WriteString(`,"default":"x"`)
		}
		w.WriteString(`}`)
	})
	w.WriteString(`}}}}}}]},"status":{"storedVersions":["v1"]}}`)
}

// definition writes a CRD with n fields, and two objects of its kind.
func definition(dir string, n int) error {
	object := func(value string) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			w.WriteString(`{"apiVersion":"ex.io/v1","kind":"Large","metadata":{"name":"a","namespace":"b"},"spec":{`)
			list(w, n, func(i int) { fmt.Fprintf(w, `"field%d":%q`, i, value) })
			w.WriteString(`}}`)
		}
	}
	var errs []error
	for i, name := range []string{"crd.json", "crd2.json"} {
		errs = append(errs, file(dir, name, func(w *bufio.Writer) { crd(w, n, i) }))
	}
	return errors.Join(append(errs, file(dir, "object.json", object("a")), file(dir, "object2.json", object("b")))...)
}
