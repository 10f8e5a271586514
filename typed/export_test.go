// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

// FoundEarly says whether it is known how tv differs from another value before
// somebody asks.
func FoundEarly(tv *TypedValue) bool { return tv.memo.early.Load() != nil }
