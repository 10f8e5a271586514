// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package doctor implements the command doctor, which finds and repairs problems in managed fields.
// It also shows the size of managed fields.
package doctor
