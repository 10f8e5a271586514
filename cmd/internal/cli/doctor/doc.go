// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package doctor has the command that finds what is wrong with managed fields, repairs it,
// and measures them.
package doctor
