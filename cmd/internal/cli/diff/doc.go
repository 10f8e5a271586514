// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package diff implements the command diff, which shows the changes that an apply would make.
// diff.go defines the flags. difference.go finds the changes and their owners. view.go selects
// a view. The views are in short.go (for terminals), fields.go, unified.go and sidebyside.go.
package diff
