// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build declarativedefaults

package policy

const declarativeDefaults = true
