// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

// certificateFromBeta removes the fields that a PodCertificateRequest of v1 lacks. A server
// removes them, too.
func certificateFromBeta(request map[string]any) {
	within(request, "spec", func(spec map[string]any) {
		delete(spec, "pkixPublicKey")
		delete(spec, "proofOfPossession")
	})
}
