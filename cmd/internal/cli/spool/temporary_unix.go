// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package spool

import "os"

// temporary returns a file without a name: the system frees it with the process.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "dovetail-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // it is not used
		return nil, err
	}
	return f, nil
}
