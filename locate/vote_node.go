package locate

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/backends"
)

// locate finds the node at which each engine outside the majority first differs from the engine of
// the majority with which it is compared. If there is no majority, locate compares two engines that
// differ.
func (b *ballot) locate(ctx context.Context) error {
	if len(b.report.Apart) == 0 {
		b.report.Apart = b.parted()
	}
	for i := range b.report.Apart {
		a := &b.report.Apart[i]
		actual, expected := b.voting[b.index(a.Name)], b.voting[b.index(a.Against)]
		found, err := Divergence(ctx, b.subject(actual), b.subject(expected),
			Options{Compare: b.options.Compare, Isolate: true})
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			a.Problem = err.Error()
			continue
		}
		a.Located = found
	}
	return nil
}

// parted returns two engines whose outputs differ, or nil if all engines agree.
func (b *ballot) parted() []VoteApart {
	for _, out := range b.report.Outputs {
		if i := slices.IndexFunc(out.Pairs, func(p VotePair) bool { return !p.Agree }); i >= 0 {
			return []VoteApart{{Name: out.Pairs[i].B, Against: out.Pairs[i].A,
				Outputs: []string{out.Name}}}
		}
	}
	return nil
}

func (b *ballot) subject(v *Voter) backends.Subject {
	return backends.Subject{Engine: v.engine, Model: b.model, Inputs: b.inputs}
}
