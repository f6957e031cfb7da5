package tract

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/sessions"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// session holds the plans of a model that several backends may use. Sharing is safe because a plan
// does not change, and each inference has its own state.
type session struct {
	plans *plans
	bytes int64 // memory that the first plan took
}

// Close frees every plan that is ready and not in use. The others are freed later; Close does not
// wait for them.
func (s *session) Close() error { return s.plans.close() }

// Memory returns an estimate of the session's size in bytes, because tract does not report it: the
// size of the first plan times the number of plans. The size of the first plan is the growth of
// the process while it was prepared, but at least twice the model's size.
func (s *session) Memory() (int64, error) { return s.bytes * int64(s.plans.kept()), nil }

// shares says whether and how the session for the model is shared with other backends. A session is
// not shared on a GPU, nor if tract reads the model's file again for each set of shapes.
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

// often returns how many runs may use a session; 0 means any number. The limit bounds the memory
// for the kernels that tract keeps for different shapes.
func (b *backend) often() int {
	if slices.ContainsFunc(b.inputs, func(v loaders.Value) bool {
		return !v.HasShape || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
	}) {
		return mostShapes
	}
	return 0
}

const mostShapes = 256
