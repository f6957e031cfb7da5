package tract

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/sessions"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// session is the plans of a model, which several backends may use: a plan does not change, and each
// inference has a state of its own.
type session struct {
	plans *plans
	bytes int64 // that the first plan took
}

// Close frees every plan, once it is ready and nothing runs it. It does not wait for that.
func (s *session) Close() error { return s.plans.close() }

// Memory is what the process grew by when the first plan was made, and at least the model twice,
// for each plan that there is now. tract itself does not tell.
func (s *session) Memory() (int64, error) { return s.bytes * int64(s.plans.kept()), nil }

// measured sets what a plan takes to what the process has more than before, or to least.
func (s *session) measured(before uint64, least int64) {
	after, ok := memory.Resident()
	if ok && after > before {
		least = max(least, int64(after-before))
	}
	s.bytes = least
}

// shares says which session serves for a model. What a GPU holds keeps a session from being shared,
// and so does a file that tract reads again for other shapes.
func (e engine) shares(ctx context.Context, s *settings, library *abi.Library,
	model *loaders.Model) (sessions.Sharing, error) {
	if e.alone || s.Runtime != CPU {
		return sessions.Sharing{}, nil
	}
	if fromFile, err := readsFile(model); err != nil || fromFile {
		return sessions.Sharing{}, err
	}
	return sessions.Shared.Sharing(ctx, fmt.Sprintf("%s %s %s %+v", Name, library.Path(),
		library.Version(), s.abi()), model)
}

// often is how often a session is lent: without end, or so often that the kernels which tract keeps
// for other shapes stay few.
func (b *backend) often() int {
	if slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
	}) {
		return mostShapes
	}
	return 0
}

const mostShapes = 256
