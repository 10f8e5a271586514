// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"regexp"
	"strings"
)

var imageRules = []*rule{
	{
		name:    "image-pull-policy",
		summary: "imagePullPolicy is Always for an image with the tag latest or with neither tag nor digest, otherwise IfNotPresent.",
		types:   core("Container", "EphemeralContainer"),
		writes:  []string{"imagePullPolicy"},
		fill: func(p *place) {
			if zero(p.data["imagePullPolicy"]) {
				p.set("imagePullPolicy", pullPolicy(text(p.data["image"])))
			}
		},
	},
	{
		name:    "image-volume-pull-policy",
		summary: "pullPolicy of an image volume follows the same rule as imagePullPolicy of a container.",
		types:   core("ImageVolumeSource"),
		writes:  []string{"pullPolicy"},
		fill: func(p *place) {
			if zero(p.data["pullPolicy"]) {
				p.set("pullPolicy", pullPolicy(text(p.data["reference"])))
			}
		},
	},
}

// pullPolicy returns the default pull policy for an image. For an invalid image name, it
// returns IfNotPresent.
func pullPolicy(image string) string {
	if latest(image) {
		return "Always"
	}
	return "IfNotPresent"
}

var (
	// aDomain, aPath and aTag match the parts of an image name. anID matches a whole image ID.
	aDomain = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(:[0-9]+)?$`)
	aPath   = regexp.MustCompile(`^[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*$`)
	aTag    = regexp.MustCompile(`^[\w][\w.-]{0,127}$`)
	anID    = regexp.MustCompile(`^[a-f0-9]{64}$`)
)

// digests maps digest algorithms to the number of hexadecimal digits of a digest.
var digests = map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}

// maxImagePath is the maximum length of an image name without the domain.
const maxImagePath = 255

// latest reports whether an image has the tag latest, or neither a tag nor a digest.
func latest(image string) bool {
	if anID.MatchString(image) {
		return false
	}
	domain, name, ok := strings.Cut(image, "/")
	// The part before the first slash is a domain only if it contains a dot, a colon or an
	// upper case letter, or is localhost.
	if !ok || domain != "localhost" && !strings.ContainsAny(domain, ".:") && strings.ToLower(domain) == domain {
		domain, name = "docker.io", image
	}
	if (domain == "docker.io" || domain == "index.docker.io") && !strings.Contains(name, "/") {
		domain, name = "docker.io", "library/"+name
	}
	name, digest, digested := strings.Cut(name, "@")
	name, tag, tagged := strings.Cut(name, ":")
	algorithm, hex, _ := strings.Cut(digest, ":")
	switch {
	case !aDomain.MatchString(domain), !aPath.MatchString(name), len(name) > maxImagePath,
		tagged && !aTag.MatchString(tag),
		digested && (digests[algorithm] == 0 || len(hex) != digests[algorithm] || strings.Trim(hex, "0123456789abcdef") != ""):
		return false
	case tagged:
		return tag == "latest"
	}
	return !digested
}
