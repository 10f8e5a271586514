// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package transition says what an update does and may not do ([Check]): change what is
// immutable, or add or remove what has to stay.
//
// It compares by [github.com/dovetail-ssa/dovetail/internal/data.StoredEquality], and only
// along paths that lead to a transition rule. Whether values are valid is not its concern.
package transition
