// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package writing writes the results of commands to a cluster, one request for each object:
// [Flags.Write]. Each request applies only to the state of the object that was read. First a dry run
// is compared with the prediction, and the user agrees. Before the first request is sent, a file is
// written from which the command undo restores the objects.
package writing
