// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package diff has the command that tells what an apply would change. diff.go has its
// flags, and how a change comes to its owners and its notes; view.go chooses between the views:
// fields.go, unified.go and sidebyside.go.
package diff
