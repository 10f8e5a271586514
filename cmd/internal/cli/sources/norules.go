// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim && !js

package sources

// NoRules explains why this program does not validate custom resources.
const NoRules = "this dovetail was built with the tag slim, without the rules for custom resources"
