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

// unowned returns a filter that removes the fields of a certificate request that never have an
// owner. These are spec and status. A request to the status endpoint owns status, except its
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
