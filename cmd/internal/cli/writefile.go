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
// What is no file, such as a pipe or a terminal, is written to.
func writeFile(name string, data []byte) error {
	if err := replaceFile(name, data); err != nil {
		return fileError(name, err)
	}
	return nil
}

func replaceFile(name string, data []byte) error {
	target, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err == nil {
			return errors.New("is a link to a file that does not exist")
		}
		return placeFile(name, data, nil)
	}
	if err != nil {
		return err
	}
	was, err := os.Stat(target)
	switch {
	case err != nil:
		return err
	case was.Mode().IsRegular():
		return placeFile(target, data, was)
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

// placeFile writes beside name and renames; was is the file there, nil if none is.
func placeFile(name string, data []byte, was fs.FileInfo) error {
	dir, base := filepath.Split(name)
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".%s-%x", base, rand.Uint64())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if was != nil {
		err = errors.Join(err, f.Chmod(was.Mode().Perm()))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name()) // it may be gone
	}
	return err
}
