// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package migrate has the command migrate, which changes managed fields: it hands fields over to
// another manager, or rekeys field sets for a new schema.
package migrate
