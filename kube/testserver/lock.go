// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"errors"
	"path/filepath"
)

// errLocked means that another server has locked a journal.
var errLocked = errors.New("another server uses this file; stop that server, or use another file")

// lockJournal locks a journal, so that no other server can use it. The caller must call unlock. If the
// process is killed, the operating system releases the lock.
//
// The lock is on a separate file, NAME.lock, because compact replaces the journal with a new file.
func lockJournal(name string) (unlock func(), err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	return lockFile(name + ".lock")
}
