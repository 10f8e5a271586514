// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"os"
)

// profile writes two profiles of the server during a case: its CPU use to name.cpu, and its
// allocations to name.allocs.
func (s *side) profile(ctx context.Context, c loadCase, name string) error {
	ctx, cancel := context.WithCancel(ctx)
	load := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			if err := s.sendRequests(ctx, c, 1); err != nil && ctx.Err() == nil {
				load <- err
				return
			}
		}
		load <- nil
	}()
	err := errors.Join(s.fetch(ctx, "profile", name+".cpu"), s.fetch(ctx, "allocs", name+".allocs"))
	cancel()
	return errors.Join(err, <-load)
}

// seconds is the duration of a profile.
const seconds = "10"

func (s *side) fetch(ctx context.Context, kind, file string) error {
	data, err := s.rest.Get().AbsPath("/debug/pprof/"+kind).Param("seconds", seconds).DoRaw(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
