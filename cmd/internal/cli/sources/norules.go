// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build slim && !js

package sources

// NoRules explains why custom resources are not validated.
const NoRules = "this dovetail was built with the tag slim, without the rules for custom resources"
