// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package command has the shared parts of all commands: the streams and the terminal ([Env]),
// the state of one run of the program ([Run]), the exit statuses, usage errors, the flags -o
// ([Output]) and --time, and the progress line.
//
//	return r.Command(c, func() error { … })
//
// completes a command: it adds the common flags and checks the arguments. Other packages read the
// input and write the output of commands.
package command
