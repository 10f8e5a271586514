// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package migrate has the command that hands fields over, to another manager or to a new
// schema.
package migrate
