// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package repocheck tests the source of the whole repository. It checks the imports of
// packages, the requirements of modules, rules that must have only one implementation, and
// the names and commands in the documents.
package repocheck

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in the root folder of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
