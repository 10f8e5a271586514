// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package edition selects a major version of structured-merge-diff for the process. If versions
// behave differently, the process behaves like the selected one (see schema.Policies.Version).
package edition

import "sync/atomic"

// Edition is a major version of structured-merge-diff.
type Edition uint32

// These are the editions. V7 needs Go 1.27, because it uses the JSON packages of that
// release.
const (
	V6 Edition = iota
	V4
	V7
)

var edition atomic.Uint32

// Set sets the edition of the process.
func Set(e Edition) { edition.Store(uint32(e)) }

// Is reports whether e is the edition of the process.
func (e Edition) Is() bool { return edition.Load() == uint32(e) }
