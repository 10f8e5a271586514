// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package migrate implements the command migrate, which changes managed fields. The command
// transfers fields to a different manager, or adapts managed fields to a new schema.
package migrate
