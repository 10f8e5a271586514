// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// inspect checks the archives. Each archive must contain all programs, built from the new
// version and for the right platform. No program may contain a path of the build machine.
// inspect also runs the programs that can run on this machine.
func (b *build) inspect() error {
	for _, platform := range b.platforms {
		members, err := b.unpack(platform)
		if err != nil {
			return err
		}
		var ran []string
		for _, p := range b.inArchive() {
			m, ok := members[p.name]
			if !ok {
				return fmt.Errorf("the archive for %s does not contain %s", platform, p.name)
			}
			if err := b.checkProgram(m.data, platform, p.pkg); err != nil {
				return fmt.Errorf("%s for %s: %w", p.name, platform, err)
			}
			run := runner(platform)
			if run == nil {
				continue
			}
			file := filepath.Join(b.tree, ".inspect", platform, p.name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, m.data, 0o755); err != nil {
				return err
			}
			args := append(run, file, p.arg)
			if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
			}
			ran = append(ran, p.name)
		}
		how := "its programs are built for it, and run:  " + strings.Join(ran, ", ")
		if ran == nil {
			how = "its programs are built for it; NOT run here"
		}
		fmt.Printf("archive of %s: %s\n", platform, how)
	}
	return nil
}

// runner returns a command that can run programs for a platform on this machine, such as an
// emulator. The result is empty, but not nil, if the programs need no such command. It is nil if
// this machine cannot run the programs.
func runner(platform string) []string {
	if platform == runtime.GOOS+"/"+runtime.GOARCH {
		return []string{}
	}
	if path, err := exec.LookPath("qemu-aarch64-static"); err == nil && platform == "linux/arm64" && runtime.GOOS == "linux" {
		return []string{path}
	}
	return nil
}

// unpack reads the archive for a platform. It returns the files by name. The names omit the
// archive's top folder and ".exe".
func (b *build) unpack(platform string) (map[string]member, error) {
	base := b.archiveName(platform)
	read := readTar
	if strings.HasPrefix(platform, "windows/") {
		read = readZip
	}
	found, err := read(filepath.Join(b.out, base+archiveEnding(platform)), base+"/")
	all := map[string]member{}
	for name, m := range found {
		all[strings.TrimSuffix(name, ".exe")] = m
	}
	return all, err
}

// members collects the files of an archive by name. All names in the archive must start with the
// prefix, but the keys of the map do not contain the prefix.
type members struct {
	all    map[string]member
	prefix string
}

func (a members) add(name string, mode os.FileMode, r io.Reader) error {
	data, err := io.ReadAll(r)
	name, inside := strings.CutPrefix(name, a.prefix)
	if err == nil && !inside {
		err = fmt.Errorf("%s is not in the folder %s", name, a.prefix)
	}
	a.all[name] = member{name, data, mode}
	return err
}

// readZip returns the files in a zip archive.
func readZip(file, prefix string) (map[string]member, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	a := members{map[string]member{}, prefix}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		err = a.add(f.Name, f.Mode(), r)
		r.Close()
		if err != nil {
			return nil, err
		}
	}
	return a.all, nil
}

// readTar returns the files in a compressed tar archive.
func readTar(file, prefix string) (map[string]member, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	a := members{map[string]member{}, prefix}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			return a.all, nil
		}
		if err != nil {
			return nil, err
		}
		if err := a.add(h.Name, h.FileInfo().Mode(), t); err != nil {
			return nil, err
		}
	}
}

// machines maps each platform to the machine type in the header of executables.
var machines = map[string]any{
	"linux/amd64": elf.EM_X86_64, "linux/arm64": elf.EM_AARCH64,
	"darwin/amd64": macho.CpuAmd64, "darwin/arm64": macho.CpuArm64,
	"windows/amd64": uint16(pe.IMAGE_FILE_MACHINE_AMD64), "windows/arm64": uint16(pe.IMAGE_FILE_MACHINE_ARM64),
}

// checkProgram checks the format and the build information of an executable. It also checks
// that the executable contains no path of the build machine.
func (b *build) checkProgram(data []byte, platform, pkg string) error {
	var machine any
	r := bytes.NewReader(data)
	goos, goarch, _ := strings.Cut(platform, "/")
	switch goos {
	case "linux":
		f, err := elf.NewFile(r)
		if err != nil {
			return err
		}
		machine = f.Machine
		if libraries, _ := f.ImportedLibraries(); len(libraries) > 0 { // an error means that the program has no table of libraries
			return fmt.Errorf("needs %v", libraries)
		}
	case "darwin":
		f, err := macho.NewFile(r)
		if err != nil {
			return err
		}
		machine = f.Cpu
	case "windows":
		f, err := pe.NewFile(r)
		if err != nil {
			return err
		}
		machine = f.Machine
	}
	if machine != machines[platform] {
		return fmt.Errorf("is for machine %v", machine)
	}
	info, err := buildinfo.Read(r)
	if err != nil {
		return err
	}
	if info.Path != pkg || info.Main.Version != b.version {
		return fmt.Errorf("is %s %s", info.Path, info.Main.Version)
	}
	settings := map[string]string{"GOOS": goos, "GOARCH": goarch, "CGO_ENABLED": "0", "-trimpath": "true"}
	for _, s := range info.Settings {
		if want, ok := settings[s.Key]; ok && want != s.Value {
			return fmt.Errorf("was built with %s=%s", s.Key, s.Value)
		}
		delete(settings, s.Key)
	}
	if len(settings) > 0 {
		return fmt.Errorf("has no complete build information: %v", settings)
	}
	for _, dir := range []string{b.tree, b.out} {
		if bytes.Contains(data, []byte(dir)) {
			return errors.New("contains " + dir)
		}
	}
	return nil
}
