// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Release makes a release of all modules of the repository.
//
//	go run . prepare v0.2.0           # writes the version into go.mod, go.sum and go.work
//	go run . build v0.2.0 -out DIR    # builds what is published, from the checked-out commit
//	go run . try v0.2.0 -out DIR      # both in a copy, twice, and tests the result as users do
//	go run . api v0.2.0               # what the exported API lost since the last tag
//
// A release is a commit changed by prepare, with the tags that build prints, one for each
// module. build writes to DIR:
//
//	proxy/           the modules, as a module proxy serves them
//	dovetail_...     archives with the program, dovetail-gen, the programs with the code of
//	                 Kubernetes releases (dovetail-native-1.37 and others), man pages,
//	                 completions and the JSON schema of reports
//	image.tar        an image of the program, for docker load and similar tools
//	krew.yaml        the manifest for kubectl krew
//	sbom.cdx.json    the contents of the program, in CycloneDX format; the file
//	                 dovetail-native-1.37.cdx.json is that of the program with its name
//	provenance.json  what was built from which sources, in SLSA format
//	checksums.txt    of all of these
//
// The same commit and Go version give the same bytes. Versions of the drop-ins start with
// structured-merge-diff's major version, as their paths require: v0.2.0 is v6.2.0 of compat/v6.
package main
