// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package mutants changes the model and checks whether the cases notice. All changes are built
// into one program, as copies of the functions that they change, and the program runs them one
// after the other. Broken returns changes that break one rule each, written by hand. Mutate
// generates changes systematically.
package mutants
