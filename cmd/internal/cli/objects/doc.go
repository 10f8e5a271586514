// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package objects implements the commands that need only objects and their types: validate, default
// and immutable.
package objects
