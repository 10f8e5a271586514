// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
)

// requestForCertificate is the kind CertificateSigningRequest. No request can update the spec
// of such an object, because the spec identifies the requester.
const requestForCertificate = "CertificateSigningRequest.certificates.k8s.io"

// unowned returns a filter for certificate requests. It removes the fields that never get an owner:
// spec and status. In a request to the status endpoint, the manager owns the status, but not its
// conditions.
func unowned(apiVersion, subresource string) map[fieldpath.APIVersion]fieldpath.Filter {
	status := fieldpath.MakePathOrDie("status")
	if subresource == "status" {
		status = fieldpath.MakePathOrDie("status", "conditions")
	}
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), status)
	return fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(apiVersion): set})
}

// requestForCertificate discards forbidden changes of a certificate request. A request cannot
// change spec of a live object, and a request to the main endpoint cannot change status.
func (p *PreparedRequest) requestForCertificate(object map[string]any) map[string]any {
	object = document.Shallow(object)
	keep := func(name string) {
		if delete(object, name); p.Live[name] != nil {
			object[name] = p.Live[name]
		}
	}
	if p.Live != nil {
		keep("spec")
	}
	if p.request.Subresource == "" {
		keep("status")
	}
	return object
}
