// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package repocheck tests the source of the repository as a whole: which package may
// import which, what modules require, which rules have one home, and whether the
// commands in the documents run.
package repocheck

import (
	"fmt"
	"os"
	"testing"
)

// The tests run in the root of the repository, and name files from there.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
