// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !releasesondemand

package jsoncall

// missingReleases returns the releases that must be loaded first: none, since all are embedded.
func missingReleases(typesArgs) []string { return nil }
