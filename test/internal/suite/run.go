// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// goTest runs go test -json in a folder, writes the output to a log file, and returns the
// results. A failing test is not an error. If a package does not build, goTest tries once more,
// because the cause may be a temporary disk or network problem.
func goTest(dir, log, trim string, env []string, args ...string) (*Result, error) {
	res, err := goTestOnce(dir, log, trim, env, args)
	if err != nil || !res.unbuilt() {
		return res, err
	}
	for _, pkg := range slices.Sorted(maps.Keys(res.Broken)) {
		fmt.Fprintf(os.Stderr, "did not build, trying again: %s\n      %s\n", pkg, indent(res.Broken[pkg], 40))
	}
	return goTestOnce(dir, log, trim, env, args)
}

func goTestOnce(dir, log, trim string, env, args []string) (*Result, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	var errs bytes.Buffer
	cmd := exec.Command("go", append([]string{"test", "-json", "-count=1", "-vet=off", "-timeout=30m"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, gocmd.Env(env...), out, &errs
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if _, err := out.Seek(0, 0); err != nil {
		return nil, err
	}
	res, rerr := Read(out, trim)
	if rerr != nil {
		return nil, rerr
	}
	for pkg := range res.Broken {
		res.Broken[pkg] += errs.String() // the error output says why the package was not built
	}
	if err != nil && len(res.Failed)+len(res.Broken) == 0 {
		return nil, fmt.Errorf("go test in %s: %w\n%s", dir, err, errs.Bytes())
	}
	return res, nil
}
