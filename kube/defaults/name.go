// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

// nameLabel is the label that contains the name of a namespace.
const nameLabel = "kubernetes.io/metadata.name"

var nameRules = []*rule{{
	name:    "name-label",
	summary: "The label " + nameLabel + " of a namespace is set to its name.",
	types:   core("Namespace"),
	writes:  []string{"metadata.labels"},
	fill: func(p *place) {
		metadata := object(p.data["metadata"])
		if name := metadata["name"]; !zero(name) && object(metadata["labels"])[nameLabel] != name {
			p.at("metadata").at("labels").set(nameLabel, name)
		}
	},
}}
