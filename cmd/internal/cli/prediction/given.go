// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
)

// Given describes the requests of a program that has no command line, such as the playground. It
// predicts only the apply itself, even if the manager is "kubectl". For this manager, a command
// also predicts the requests that kubectl sends afterwards.
type Given struct {
	Manager, Subresource string
	// Time is the time of the request.
	Time time.Time
	// Update selects updates. The default is an apply.
	Update bool
	// Force, Yield and Share select conflicts to resolve.
	Force, Yield, Share GivenChoice
}

// A GivenChoice selects all conflicts, or only the conflicts at or below some paths.
type GivenChoice struct {
	All   bool
	Paths []string
}

// NewRequester returns a Requester that predicts the requests g. If Force, Yield or Share is
// wrong, the error is a *command.UsageError.
func NewRequester(t *sources.Types, g Given) (*Requester, error) {
	q := &Requests{
		Manager: g.Manager, subresource: g.Subresource, asGiven: true,
		kubectl:    kubectlMode{set: true},
		Duplicates: Duplicates{policy: DuplicatesError},
	}
	for _, c := range []struct {
		given GivenChoice
		to    *pathChoice
	}{{g.Force, &q.force}, {g.Yield, &q.yield}, {g.Share, &q.share}} {
		c.to.all = c.given.All
		for _, path := range c.given.Paths {
			if err := c.to.add(path); err != nil {
				return nil, err
			}
		}
	}
	if err := q.checkChoices(); err != nil {
		return nil, err
	}
	return &Requester{Requests: q, Types: t, Now: func() time.Time { return g.Time }, update: g.Update, paths: q.chosenPaths()}, nil
}

// CheckPaths adds a warning to the outcome for each path in Force, Yield or Share that has no
// conflict. If the type of the object does not have a path, CheckPaths returns a
// *command.UsageError instead. Commands make this check after all their requests.
func (m *Requester) CheckPaths(o *Outcome) error { return m.checkPaths([]*Outcome{o}) }
