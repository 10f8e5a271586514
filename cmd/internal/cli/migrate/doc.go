// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package migrate implements the command migrate, which changes managed fields. It hands fields
// over to another manager, or adapts managed fields to a new schema.
package migrate
