// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package mutants changes the model and asks the cases whether they notice. All changes are
// built into one program, as copies of the functions that they are in; it runs them one after
// the other. Broken are the changes that break one rule each, written by hand; Mutate finds
// changes of every kind of place.
package mutants
