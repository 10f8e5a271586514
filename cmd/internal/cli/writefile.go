package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// writeFile writes a file as a whole: whoever reads it meanwhile, or after a
// failure, sees what was there before. A link stays one, and a file keeps its mode.
// What is no file, such as a pipe or a terminal, is written to. A file of mode 0600
// stays or becomes the owner's alone.
func writeFile(name string, data []byte, mode fs.FileMode) error {
	if err := replaceFile(name, data, mode); err != nil {
		return fileError(name, err)
	}
	return nil
}

func replaceFile(name string, data []byte, mode fs.FileMode) error {
	target, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err == nil {
			return errors.New("is a link to a file that does not exist")
		}
		return placeFile(name, data, mode, nil)
	}
	if err != nil {
		return err
	}
	was, err := os.Stat(target)
	switch {
	case err != nil:
		return err
	case was.Mode().IsRegular():
		return placeFile(target, data, mode, was)
	case was.IsDir():
		return errors.New("is a directory")
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// The modes of files that are written: what the umask leaves of them, and of a file that
// was there.
const (
	forAll   fs.FileMode = 0o777
	forOwner fs.FileMode = 0o600
)

// placeFile writes beside name and renames; was is the file there, nil if none is.
func placeFile(name string, data []byte, mode fs.FileMode, was fs.FileInfo) error {
	dir, base := filepath.Split(name)
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".%s-%x", base, rand.Uint64())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666&mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if was != nil {
		err = errors.Join(err, f.Chmod(was.Mode().Perm()&mode))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name()) // it may be gone
	}
	return err
}
