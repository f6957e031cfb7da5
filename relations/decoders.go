package relations

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Rollback is the relation that a decoder forgets what is taken back: tokens that are fed behind
// the first, a quarter, a half and all but the last of them, and whose slots are then given up,
// change nothing of what follows, as speculative decoding needs it. Without another rule this is
// judged within noise. A breach names the first token, layer and head. See [decode.Rollback].
func Rollback() Relation {
	return Relation{name: "rollback", text: "tokens that are taken back change nothing",
		check: (*checker).rollback, near: true}
}

// Shift is the relation that a decoder with relative positions does not know where a text begins:
// with positions from n on, logits and values stay. Keys know their places, so they are not
// compared. A model that learnt its positions, as GPT-2 did, does not keep it, and one without
// position_ids is not judged. Without another rule this is judged within noise.
func Shift(n int) Relation {
	r := Relation{name: "shift", text: "a decoder does not know where a text begins", near: true,
		check: func(c *checker) error { return c.shift(n) }}
	if n < 1 {
		r.wrong = fmt.Errorf("positions shifted by %d: give 1 or more", n)
	}
	return r
}

// Sequences is the relation that a decoder's sequence gives in a batch what it gives alone: among
// others, padded in front as the longest one asks for, and with 1 and 5 places of padding more.
// Without another rule this is judged within noise: kernels for a batch round otherwise. A breach
// names the first token, layer and head.
func Sequences() Relation {
	return Relation{name: "sequences", text: "a sequence gives in a batch what it gives alone",
		check: (*checker).sequences, near: true}
}

// rollback checks [Rollback].
func (c *checker) rollback() error {
	single, err := decode.With(c.subject.Engine, decode.Steps(1))
	if err != nil {
		return err
	}
	for _, set := range c.sets {
		ids, err := tokensOf(set)
		if err != nil {
			return err
		}
		n := len(ids.rows[0])
		if n < 2 {
			return errors.New("one token leaves none to take back: give a text of several")
		}
		first, err := c.first(single, set)
		if err != nil {
			return err
		}
		places := []int{n / 4, n / 2, n - 1}
		for i, at := range places {
			if at < 1 || slices.Contains(places[:i], at) {
				continue
			}
			drafts := min(3, n-at)
			how := fmt.Sprintf("with %d other tokens fed and taken back after token %d", drafts, at-1)
			e, err := decode.With(single, decode.Rollback(at, drafts))
			if err != nil {
				return err
			}
			if err := c.inSteps(e, set, first, how); err != nil {
				return err
			}
		}
	}
	c.note("rolled back at a quarter, a half and the end of the text, %s", c.judge.rule)
	return nil
}

// shift checks [Shift].
func (c *checker) shift(n int) error {
	e, err := decode.With(c.subject.Engine, decode.From(n))
	if err != nil {
		return err
	}
	c.note("positions from %d on, %s; keys are not compared", n, c.judge.rule)
	for _, set := range c.sets {
		first, err := c.first(c.subject.Engine, set)
		if err != nil {
			return err
		}
		var kept []string
		for _, name := range first.outputs.Names() {
			key, err := decode.IsKey(first.run, name)
			if err != nil {
				return err
			}
			if !key {
				kept = append(kept, name)
			}
		}
		first.outputs = first.outputs.Only(kept...)
		if err := c.inSteps(e, set, first, fmt.Sprintf("with positions from %d on", n)); err != nil {
			return err
		}
	}
	return nil
}

// first is a decoder's run that others are held to.
func (c *checker) first(e backends.Engine, set *tensor.Set) (reference, error) {
	run, err := c.runIn(e, set)
	if err != nil {
		return reference{}, err
	}
	outputs, err := outputsOf(run)
	return reference{run: run, outputs: outputs}, err
}

// sequences checks [Sequences].
func (c *checker) sequences() error {
	e, err := decode.With(c.subject.Engine)
	if err != nil {
		return err
	}
	for _, set := range c.sets {
		ids, err := tokensOf(set)
		if err != nil {
			return err
		}
		batch := ids
		if len(ids.rows) == 1 {
			batch = ids.neighboured()
			c.note("one sequence was given, so its neighbours are made of it")
		}
		for i := range ids.rows {
			if err := c.sequence(e, set, batch, i); err != nil {
				return err
			}
		}
	}
	c.note("in the batch, and with 1 and 5 places of padding more, %s", c.judge.rule)
	return nil
}

// sequence holds one sequence of a batch to that sequence alone.
func (c *checker) sequence(e backends.Engine, set *tensor.Set, batch texts, i int) error {
	alone, err := batch.set(set, []int{i}, batch.front(i), 0)
	if err != nil {
		return err
	}
	first, err := c.first(e, alone)
	if err != nil {
		return fmt.Errorf("sequence %d alone: %w", i, err)
	}
	all := make([]int, len(batch.rows))
	for k := range all {
		all[k] = k
	}
	for _, more := range []int{0, 1, 5} {
		how := fmt.Sprintf("sequence %d in a batch of %d", i, len(all))
		if more > 0 {
			if batch.mask == nil {
				continue // nothing says what is padding
			}
			how += fmt.Sprintf(", with %d places of padding more", more)
		}
		padded, err := batch.set(set, all, 0, more)
		if err != nil {
			return err
		}
		run, err := backends.RunIn(c.ctx, e, c.subject.Model, fixtures.Of(padded))
		if err != nil {
			return fmt.Errorf("%s: %w", how, err)
		}
		if run, err = decode.Cut(run, i, batch.front(i)+more); err != nil {
			return err
		}
		if err := c.decoded(run, first, how); err != nil {
			return err
		}
	}
	return nil
}
