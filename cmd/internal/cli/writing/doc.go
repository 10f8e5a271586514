// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package writing writes what commands have made of the objects of a cluster to it, one request
// for each: [Flags.Write]. Each request is for the state of the object that was read. It is asked
// for as a dry run first and compared with what was predicted, then somebody has to agree, and
// what all can be undone from is in a file before the first is sent. The command undo reads that.
package writing
