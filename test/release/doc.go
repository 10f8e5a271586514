// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Release makes a release of all modules of the repository.
//
//	go run . prepare v0.2.0           # write the version to go.mod, go.sum and go.work
//	go run . build v0.2.0 -out DIR    # build the published files from the checked-out commit
//	go run . try v0.2.0 -out DIR      # prepare and build a copy twice, and test the result as users do
//	go run . api v0.2.0               # print exported names that were removed or changed since the last tag
//
// A release is a commit with the changes that prepare makes. build prints the tags for this
// commit, one for each module. build writes these files to DIR:
//
//	proxy/           the modules, as a module proxy serves them
//	dovetail_...     archives with the program, dovetail-gen, the programs with the code of
//	                 Kubernetes releases (such as dovetail-native-1.37), man pages,
//	                 completions, the JSON schema of reports and the playground
//	*.tgz            npm packages: the engine, the test server, and its program by platform
//	*.whl            the test server for Python, by platform
//	dovetail-playground_...  the playground, for a web server
//	image.tar        a container image of the program, for docker load and similar tools
//	krew.yaml        the manifest for kubectl krew
//	sbom.cdx.json    the modules in the program, in CycloneDX format;
//	                 dovetail-native-1.37.cdx.json is for the program of this name,
//	                 engine.cdx.json for the engine, and playground.cdx.json for the playground
//	provenance.json  the sources and the steps of the build, in SLSA format
//	checksums.txt    the checksums of all these files
//
// Two builds of the same commit give identical files if the versions of Go, Node, npm, Python,
// setuptools and wheel are the same. The version of a drop-in begins with the major version of
// structured-merge-diff, because its import path requires this: v0.2.0 of Dovetail is v6.2.0
// of compat/v6.
package main
