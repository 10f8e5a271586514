// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package mutants changes the code of the model, and checks for each change whether a test case
// fails. Broken returns handwritten changes, each of which breaks one rule. Mutate generates
// small changes to every function of the model. Build compiles all changes into one program,
// which contains a modified copy of a function for each change. The program then runs the test
// cases with one change at a time.
package mutants
