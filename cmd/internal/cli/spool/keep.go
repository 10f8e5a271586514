// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"bytes"
	"io"
	"os"
)

// Kept is a copy of the contents of a reader. The copy can be read repeatedly.
type Kept struct {
	io.ReaderAt
	Size int64
	file *os.File
}

// Keep copies the contents of r. Contents larger than maxInMemory bytes are stored in a temporary
// file instead of in memory. The caller must close the copy.
func Keep(r io.Reader, maxInMemory int64) (*Kept, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInMemory+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) <= maxInMemory {
		return &Kept{ReaderAt: bytes.NewReader(data), Size: int64(len(data))}, nil
	}
	f, err := temporaryFile()
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(f, io.MultiReader(bytes.NewReader(data), r))
	if err != nil {
		_ = f.Close() // the error of the copy is more important
		return nil, err
	}
	return &Kept{ReaderAt: f, Size: n, file: f}, nil
}

// Close frees the copy.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}
