// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package diff implements the command diff, which shows what an apply would change. diff.go defines
// the flags and finds the changes with their owners. view.go selects a view. The views are in
// short.go (for terminals), fields.go, unified.go and sidebyside.go.
package diff
