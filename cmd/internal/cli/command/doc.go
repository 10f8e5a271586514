// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package command is what every command is given and gives back: the streams and the
// terminal ([Env]), what one run of the program has so far ([Run]), the exit statuses, the
// errors of usage, the flags -o ([Output]) and --time, the line that tells progress.
//
//	return r.Command(c, func() error { … })
//
// wires a command: it gets the flags that all have, and its arguments are checked. What a
// command reads and how it prints it, the other packages know.
package command
