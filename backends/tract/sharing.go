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

// session is the plans of a model that several backends may use: a plan does not change, and each
// inference has its own state.
type session struct {
	plans *plans
	bytes int64 // used by the first plan
}

// Close frees every plan that is ready and unused, and the others later, without waiting for them.
func (s *session) Close() error { return s.plans.close() }

// Memory returns the growth of the process when the first plan was made, and at least twice the
// model's size, times the number of plans. tract itself does not report it.
func (s *session) Memory() (int64, error) { return s.bytes * int64(s.plans.kept()), nil }

// measured sets the size of a plan to the growth of the process since before, but at least least.
func (s *session) measured(before uint64, least int64) {
	after, ok := memory.Resident()
	if ok && after > before {
		least = max(least, int64(after-before))
	}
	s.bytes = least
}

// shares returns how a session for the model may be shared. A session is not shared on a GPU, nor
// if tract reads the model's file again for other shapes.
func (e engine) shares(ctx context.Context, s *settings, library *abi.Library,
	model *loaders.Model) (sessions.Sharing, error) {
	if e.alone || s.Runtime != CPU {
		return sessions.Sharing{}, nil
	}
	if fromFile, err := readsFile(model); err != nil || fromFile {
		return sessions.Sharing{}, err
	}
	return sessions.Shared.Sharing(ctx, fmt.Sprintf("%s %s %s %+v", backendName, library.Path(),
		library.Version(), s.abi()), model)
}

// often returns how often a session is lent, 0 for no limit. The limit bounds the kernels that
// tract keeps for different shapes.
func (b *backend) often() int {
	if slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
	}) {
		return mostShapes
	}
	return 0
}

const mostShapes = 256
