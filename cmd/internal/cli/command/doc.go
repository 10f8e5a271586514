// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package command implements the code that all commands share: the streams and the terminal
// ([Env]), the state of one run ([Run]), exit statuses, usage errors, the flags -o ([Output])
// and --time, and the progress line.
//
// Each command calls
//
//	return r.Command(c, func() error { … })
//
// This call adds the common flags and checks the arguments. Other packages read the input of
// commands and write their output.
package command
