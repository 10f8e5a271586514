// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package writing writes the results of commands to a cluster, with one request for each
// object. See [Flags.Write]. The server accepts a request only if the object has not changed
// since the command read it.
//
// Before the first request, the package compares a dry run with the prediction, and asks the
// user for confirmation. It also saves a file from which the command undo can restore the
// objects.
package writing
