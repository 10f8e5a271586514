// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package spool

import "os"

// temporaryFile returns a file that has no name. The system frees the file when the process
// ends.
func temporaryFile() (*os.File, error) {
	f, err := os.CreateTemp("", "dovetail-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // the file is not used
		return nil, err
	}
	return f, nil
}
