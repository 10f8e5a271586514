// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"regexp"
	"strings"
)

var imageRules = []*rule{
	{
		name:   "image-pull-policy",
		says:   "Always for an image with the tag latest or with neither tag nor digest, else IfNotPresent.",
		types:  core("Container", "EphemeralContainer"),
		writes: []string{"imagePullPolicy"},
		fill: func(p *place) {
			if zero(p.data["imagePullPolicy"]) {
				p.set("imagePullPolicy", pullPolicy(text(p.data["image"])))
			}
		},
	},
	{
		name:   "image-volume-pull-policy",
		says:   "As for the image of a container.",
		types:  core("ImageVolumeSource"),
		writes: []string{"pullPolicy"},
		fill: func(p *place) {
			if zero(p.data["pullPolicy"]) {
				p.set("pullPolicy", pullPolicy(text(p.data["reference"])))
			}
		},
	},
}

// pullPolicy is the policy for an image. What is no name of an image has no tag.
func pullPolicy(image string) string {
	if latest(image) {
		return "Always"
	}
	return "IfNotPresent"
}

var (
	// aDomain, aPath and aTag are parts of the name of an image.
	aDomain = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(:[0-9]+)?$`)
	aPath   = regexp.MustCompile(`^[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*$`)
	aTag    = regexp.MustCompile(`^[\w][\w.-]{0,127}$`)
	anID    = regexp.MustCompile(`^[a-f0-9]{64}$`)
)

// digests are the lengths of digests by their algorithms.
var digests = map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}

// maxImagePath bounds the name of an image without its domain.
const maxImagePath = 255

// latest says whether image names an image with the tag latest, which an image has that
// has neither tag nor digest.
func latest(image string) bool {
	if anID.MatchString(image) {
		return false
	}
	domain, name, ok := strings.Cut(image, "/")
	// What stands before the first slash is a domain only if it looks like one.
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
