// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package testserver

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lockFile creates and locks a file. It returns errLocked if the file is already locked. The
// function unlock removes the file.
func lockFile(name string) (unlock func(), err error) {
	for {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		// Some network file systems have no locks, so ignore other errors.
		if errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
			file.Close()
			return nil, errLocked
		}
		locked, err := file.Stat()
		if err != nil {
			file.Close()
			return nil, err
		}
		// Another server may have removed the file before it was locked. Then create it again.
		switch found, err := os.Stat(name); {
		case err == nil && os.SameFile(locked, found):
			return func() {
				os.Remove(name) // a file that remains is harmless
				file.Close()
			}, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			file.Close()
			return nil, err
		}
		file.Close()
	}
}
