// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package place finds values in objects, by path or one step at a time. A [Place] holds a value
// and its type.
package place
