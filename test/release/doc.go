// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Release makes a release of all modules of the repository.
//
//	go run . prepare v0.2.0           # writes the version into go.mod, go.sum and go.work
//	go run . build v0.2.0 -out DIR    # what is published, from the commit that is checked out
//	go run . try v0.2.0 -out DIR      # both in a copy, twice, and what uses what came of it
//	go run . api v0.2.0               # what the exported API lost since the last tag
//
// A release is a commit that prepare has changed, with the tags that build prints, one for
// each module. build leaves in DIR
//
//	proxy/           the modules, as a module proxy serves them
//	dovetail_...     archives with the program, dovetail-gen, man pages, completions
//	                 and the JSON schema of reports
//	image.tar        an image of the program, for docker load and the like
//	krew.yaml        the manifest for kubectl krew
//	sbom.cdx.json    what the program is made of, as CycloneDX has it
//	provenance.json  what was built from what, as SLSA has it
//	checksums.txt    of all of these
//
// The same commit and Go give the same bytes. Versions of the drop-ins have the number of
// structured-merge-diff's major version first, as their paths demand: v0.2.0 is v6.2.0 of
// compat/v6.
package main
