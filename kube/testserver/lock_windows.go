// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is the Windows error for a file that another process does not share.
const sharingViolation = syscall.Errno(32)

// lockFile creates a file and opens it without sharing it. It returns errLocked if the file is
// already open. The function unlock removes the file.
func lockFile(name string) (unlock func(), err error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	file, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, errLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return func() {
		syscall.CloseHandle(file)
		os.Remove(name) // this fails if another server has already opened the file
	}, nil
}
