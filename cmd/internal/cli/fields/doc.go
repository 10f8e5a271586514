// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fields finds things in objects by their paths: values ([Finder]), who owns what
// ([NewOwnership]), what comes from a default ([DefaultSearch]), and where two states of an
// object differ ([Changes]). A finder knows the types of lists, and with them how their items
// are named.
package fields
