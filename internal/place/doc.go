// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package place finds places in objects. A [Place] is a value together with its type: by
// the path that names it, or one step at a time.
package place
