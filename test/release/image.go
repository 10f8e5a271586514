// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// nobody is the user of the image. This user is not root and owns no files.
const nobody = "65532:65532"

// image writes a container image that contains only the program.
func (b *build) image(program string) error {
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var files bytes.Buffer
	t := tar.NewWriter(&files)
	for _, m := range []member{{"dovetail", data, 0o755}} {
		if err := t.WriteHeader(&tar.Header{Name: m.name, Mode: int64(m.mode), Size: int64(len(m.data)), ModTime: b.at, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := t.Write(m.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	})
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", "amd64", v1.Time{Time: b.at}
	config.History = []v1.History{{Created: v1.Time{Time: b.at}, CreatedBy: "release " + b.version}}
	config.Config = v1.Config{
		Entrypoint: []string{"/dovetail"}, User: nobody, WorkingDir: "/",
		Labels: map[string]string{
			"org.opencontainers.image.source":   "https://" + root,
			"org.opencontainers.image.version":  b.version,
			"org.opencontainers.image.revision": b.commit,
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	tag, err := name.NewTag("dovetail:" + b.version)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(filepath.Join(b.out, "image.tar"), tag, image)
}
