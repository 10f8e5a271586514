// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package objects has the commands that judge objects by their types alone: validate,
// default and immutable.
package objects
