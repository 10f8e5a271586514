// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package legacy says whether the process is to do what structured-merge-diff v4
// does where v6 does otherwise, see schema.Policies.Version4.
package legacy

import "sync/atomic"

var on atomic.Bool

// Set sets it.
func Set(v bool) { on.Store(v) }

// On tells it.
func On() bool { return on.Load() }
