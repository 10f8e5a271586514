// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package objects implements the commands validate, default and immutable. These commands need
// only objects and their types.
package objects
