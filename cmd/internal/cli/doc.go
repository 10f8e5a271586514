// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cli is the dovetail command line: each command as a function over
// arguments, files and streams.
//
// [Run] is all there is to call:
//
//	os.Exit(cli.Run(os.Args[1:], cli.System()))
//
// Here the commands are put together; each family of them has a folder, where its flags,
// its work and what it prints are:
//
//	apply         apply and update
//	diff          diff and its views
//	owners        owners and extract
//	doctor        doctor
//	migrate       migrate
//	objects       validate, default and immutable
//	definitions   schema, lint, cel and upgrade-check
//
// They do not know of each other. What several of them need is below them:
//
//	report        what is said of outcomes, to people and to scripts
//	server        what an API server does around a merge: requests and their outcomes
//	fields        values, owners, defaults and changes by their paths
//	sources       where types come from
//	input         files, the objects in them, and what is wrong where
//	command       what a command is given and gives back: streams, exit status, -o
//	encode        JSON and YAML
//	unstructured  objects as maps and lists, and what Secrets hold
//	linediff      how the lines of two texts differ
//	words         how values, names and times stand in a line
//
// A command reads its files (input), finds the types of the objects in them (sources),
// makes a request of each or looks at it (server), and renders the outcomes (report). The
// rules of the merge, and who owns what, are those of package fieldmanager; here is only
// what a person or a script sees of them.
//
// The result goes to standard output, everything else to standard error. The
// exit status is one of the Status constants of command. Nothing here talks to a cluster.
package cli
