// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/dovetail-ssa/dovetail/conformance/internal/gocmd"
)

// goTest runs go test -json with args in dir, keeps what it says in the file
// log, and reads it. Tests that fail are no error here.
func goTest(dir, log, trim string, env []string, args ...string) (*Result, error) {
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
	if err != nil && len(res.Failed)+len(res.Broken) == 0 {
		return nil, fmt.Errorf("go test in %s: %w\n%s", dir, err, errs.Bytes())
	}
	return res, nil
}
