// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Predictcost counts the instructions that an apply needs in two ways: only the merge, and the
// complete prediction by package kube/predict. It fails if the prediction needs more than 1.5
// times as many instructions as the merge.
//
//	go run ./cmd/predictcost
//
// It uses the applies of BenchmarkApply in kube/predict. Valgrind's cachegrind runs each apply
// twice, with different numbers of repetitions. The difference gives the instructions of one
// apply. The garbage collector is off.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// most is the maximum ratio of a prediction's instructions to the merge's instructions.
const most = 1.5

func main() {
	n := flag.Int("n", 50, "number of repetitions of each apply")
	flag.Parse()
	if err := run(*n); err != nil {
		fmt.Fprintln(os.Stderr, "predictcost:", err)
		os.Exit(1)
	}
}

func run(n int) error {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("valgrind is not in the PATH; its tool cachegrind counts the instructions")
	}
	work, err := os.MkdirTemp("", "dovetail-predictcost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	root, err := repo.Root()
	if err != nil {
		return err
	}
	binary := filepath.Join(work, "predict.test")
	if _, err := gocmd.InWorkspace(filepath.Join(root, "kube"), "test", "-c", "-o", binary, "./predict"); err != nil {
		return err
	}
	fmt.Println("| apply | merged | predicted | ratio |\n|---|--:|--:|--:|")
	above := 0
	for _, name := range []string{"Pod/OneField", "Pod/Noop", "Deployment/OneField", "Deployment/Noop"} {
		merged, err := count(binary, name+"/Merge", n)
		if err != nil {
			return err
		}
		predicted, err := count(binary, name+"/Predict", n)
		if err != nil {
			return err
		}
		ratio := predicted / merged
		if ratio > most {
			above++
		}
		fmt.Printf("| %s | %.0f | %.0f | %.2f |\n", name, merged, predicted, ratio)
	}
	if above > 0 {
		return fmt.Errorf("%d predictions take more than %.1f times the instructions of the merge", above, most)
	}
	return nil
}

// count returns the number of instructions for one repetition of a benchmark.
func count(binary, name string, n int) (float64, error) {
	few, err := total(binary, name, n)
	if err != nil {
		return 0, err
	}
	many, err := total(binary, name, 2*n)
	return float64(many-few) / float64(n), err
}

var instructions = regexp.MustCompile(`I\s+refs:\s+([0-9,]+)`)

// total returns the number of instructions of a complete process that runs a benchmark n
// times.
func total(binary, name string, n int) (int64, error) {
	each := strings.Split("Apply/"+name, "/")
	for i := range each {
		each[i] += "$"
	}
	cmd := exec.Command("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", binary,
		"-test.run=^$", "-test.bench="+strings.Join(each, "/"), fmt.Sprintf("-test.benchtime=%dx", n))
	// Valgrind claims that all processors support RDTSCP. Turn RDTSCP off for
	// processors that do not support it.
	cmd.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off")
	out, err := cmd.CombinedOutput()
	found := instructions.FindSubmatch(out)
	if err != nil || found == nil || !strings.Contains(string(out), "Benchmark") {
		return 0, fmt.Errorf("%s under valgrind: %w\n%s", name, err, out)
	}
	return strconv.ParseInt(strings.ReplaceAll(string(found[1]), ",", ""), 10, 64)
}
