// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package doctor implements the command doctor. The command finds and repairs problems in
// managed fields. It can also show the size of managed fields.
package doctor
