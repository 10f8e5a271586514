// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package mutants changes the model and checks whether a case fails. It builds one program with
// all changes. In this program, each change is a copy of a function, and the program runs one
// change after the other. Broken returns changes that were written by hand. Each of them breaks
// one rule. Mutate generates changes systematically.
package mutants
