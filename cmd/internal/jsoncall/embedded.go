// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !releasesondemand

package jsoncall

// missingReleases returns the releases that the caller must load first. Here, it returns none,
// because the program contains all releases.
func missingReleases(typesArgs) []string { return nil }
