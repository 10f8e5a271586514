package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/manifest"
)

// stdinName is what messages call standard input.
const stdinName = "<stdin>"

// files are the arguments of a flag that takes files.
type files struct {
	flag  string
	names []string
}

func (f *files) register(flags *pflag.FlagSet, name, short, usage string) {
	f.flag = "--" + name
	if short != "" {
		f.flag = "-" + short
	}
	flags.StringArrayVarP(&f.names, name, short, nil, usage)
}

// read returns the bytes of a file, or of standard input if name is "-", and
// what messages call it. Reading is bounded.
func (r *run) read(flag, name string) (data []byte, shown string, err error) {
	in := r.env.Stdin
	if name == "-" {
		if r.stdinTaken != "" {
			return nil, "", usagef("standard input is for %s already and cannot be read again for %s", r.stdinTaken, flag)
		}
		r.stdinTaken, shown = flag, stdinName
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, "", fileError(flag, name, err)
		}
		defer f.Close() // read only
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, "", fmt.Errorf("%s %s: is a directory; name its files", flag, name)
		}
		in, shown = f, name
	}
	data, err = io.ReadAll(io.LimitReader(in, manifest.MaxSize+1))
	if err != nil {
		return nil, "", fileError(flag, name, err)
	}
	if len(data) > manifest.MaxSize {
		return nil, "", fmt.Errorf("%s %s: larger than %d MiB", flag, name, manifest.MaxSize>>20)
	}
	return data, shown, nil
}

func fileError(flag, name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s %s: %w", flag, name, err)
}

// objects returns the objects in the files, in order. What is wrong with the
// files is in errs; err is for files that cannot be read at all.
func (r *run) objects(f files) (objects []*manifest.Object, errs manifest.Errors, err error) {
	for _, name := range f.names {
		data, shown, err := r.read(f.flag, name)
		if err != nil {
			return nil, nil, err
		}
		found, err := manifest.Read(shown, data)
		objects = append(objects, found...)
		var bad manifest.Errors
		if errors.As(err, &bad) {
			errs = append(errs, bad...)
		} else if err != nil {
			return nil, nil, err
		}
	}
	return objects, errs, nil
}
