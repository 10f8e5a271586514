// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cli is the dovetail command line: each command as a function over
// arguments, files and streams.
//
// [Run] is all there is to call:
//
//	os.Exit(cli.Run(os.Args[1:], cli.System()))
//
// A command reads its files (input.go), finds the types of the objects in them
// (types.go), makes a request of each (request.go) and renders the outcomes
// (report.go, conflict.go, diff.go). Commands that look at live objects only find
// the owners of their places (blame.go) and render those (blametext.go, blamecomment.go,
// blamepage.go, ownersreport.go). The rules of the merge, and who owns what, are
// those of package fieldmanager; here is only what a person or a script sees of
// them.
//
// The result goes to standard output, everything else to standard error. The
// exit status is one of the Status constants. Nothing here talks to a cluster.
package cli
