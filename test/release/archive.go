// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// member is one file of an archive.
type member struct {
	name string
	data []byte
	mode fs.FileMode
}

// archive writes the archive for a platform. It contains the programs, the license, man pages,
// completions, the schema of reports, and the playground.
func (b *build) archive(platform, bin, docs string) error {
	windows := strings.HasPrefix(platform, "windows/")
	base := b.archiveName(platform)
	var members []member
	add := func(name, file string, mode fs.FileMode) error {
		data, err := os.ReadFile(file)
		members = append(members, member{base + "/" + name, data, mode})
		return err
	}
	for _, p := range b.inArchive() {
		name := p.name
		if windows {
			name += ".exe"
		}
		if err := add(name, filepath.Join(bin, name), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "DIFFERENCES.md"} {
		if err := add(name, filepath.Join(b.tree, name), 0o644); err != nil {
			return err
		}
	}
	err := filepath.WalkDir(docs, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return add(filepath.ToSlash(strings.TrimPrefix(path, docs+string(filepath.Separator))), path, 0o644)
	})
	if err != nil {
		return err
	}
	write := writeTar
	if windows {
		write = writeZip
	}
	return write(filepath.Join(b.out, base+archiveEnding(platform)), members, b.at)
}

// archiveName returns the name of the archive for a platform. The folder in the archive has the
// same name.
func (b *build) archiveName(platform string) string {
	return fmt.Sprintf("dovetail_%s_%s", b.plain(), strings.ReplaceAll(platform, "/", "_"))
}

// archiveEnding returns the file name extension of an archive.
func archiveEnding(platform string) string {
	if strings.HasPrefix(platform, "windows/") {
		return ".zip"
	}
	return ".tar.gz"
}

// writeTar writes an archive. The bytes of the archive do not depend on the user or on the
// time of the build.
func writeTar(file string, members []member, at time.Time) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, m := range members {
		if err := t.WriteHeader(&tar.Header{Name: m.name, Mode: int64(m.mode), Size: int64(len(m.data)), ModTime: at, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := t.Write(m.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Close()
}

func writeZip(file string, members []member, at time.Time) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	z := zip.NewWriter(out)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: at}
		h.SetMode(m.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(m.data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Close()
}

// artifact is a published file with its checksum.
type artifact struct{ name, sha256 string }

// artifacts returns the files in the output folder, but not the files in its
// subfolders.
func (b *build) artifacts() (all []artifact, err error) {
	entries, err := os.ReadDir(b.out)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		f, err := os.Open(filepath.Join(b.out, e.Name()))
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, artifact{e.Name(), hex.EncodeToString(h.Sum(nil))})
	}
	return all, nil
}

// checksums writes checksums.txt, which sha256sum -c reads.
func (b *build) checksums() error {
	all, err := b.artifacts()
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, a := range all {
		fmt.Fprintf(&text, "%s  %s\n", a.sha256, a.name)
	}
	return os.WriteFile(filepath.Join(b.out, "checksums.txt"), []byte(text.String()), 0o644)
}
