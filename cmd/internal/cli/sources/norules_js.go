// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim && js

package sources

// NoRules explains why this program does not validate custom resources.
const NoRules = "the engine for JavaScript does not have the rules for custom resources, such as required fields, bounds and CEL"
