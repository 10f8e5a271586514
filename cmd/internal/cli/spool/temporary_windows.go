// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"syscall"
)

// deleteOnClose is the Windows flag FILE_FLAG_DELETE_ON_CLOSE.
const deleteOnClose = 0x04000000

// temporaryFile returns a file that the system deletes when the process ends.
func temporaryFile() (*os.File, error) {
	name := filepath.Join(os.TempDir(), "dovetail-"+rand.Text())
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.CREATE_NEW, syscall.FILE_ATTRIBUTE_NORMAL|deleteOnClose, 0)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}
