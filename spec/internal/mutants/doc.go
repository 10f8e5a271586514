// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package mutants changes the code of the model, and checks for each change whether a test
// case fails. Broken returns changes that were written by hand, each of which breaks one rule.
// Mutate generates changes for every place in the code. Build compiles all changes into one
// program, which contains a changed copy of a function for each change. The program runs one
// change after the other.
package mutants
