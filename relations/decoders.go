package relations

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Rollback requires that tokens which are rolled back do not affect a decoder's later results, as
// speculative decoding needs. At three points (after a quarter of the tokens, after half of them,
// and before the last token), it feeds up to three draft tokens and then removes them from the
// caches with [decode.Rollback]. By default, differences within rounding noise are allowed. The
// report names the first token, layer and head that differ.
func Rollback() Relation {
	return Relation{name: "rollback", text: "tokens that are rolled back change nothing",
		check: (*checker).rollback, near: true}
}

// Shift requires that a decoder depends only on relative positions: if positions start at n instead
// of 0, the logits and the cached values must stay the same. Cached keys are not compared, because
// they depend on absolute positions. Models with learned positions, such as GPT-2, break this
// relation; models without position_ids cannot be judged. By default, differences within rounding
// noise are allowed.
func Shift(n int) Relation {
	return Relation{name: "shift", text: "shifting all positions changes nothing", near: true,
		check: func(c *checker) error { return c.shift(n) }}
}

// Sequences requires that a decoder gives the same result for a sequence alone and in a batch. The
// batch runs first without additional padding, then with 1 additional padding token on the left of
// each sequence, and then with 5. If the inputs have no attention mask, no padding is added. By
// default, differences within rounding noise are allowed, because kernels for batches round
// differently. The report names the first token, layer and head that differ.
func Sequences() Relation {
	return Relation{name: "sequences", text: "a sequence gives the same result in a batch as alone",
		check: (*checker).sequences, near: true}
}

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
			return errors.New("rolling back needs at least two tokens, but there is only one")
		}
		first, err := c.runIn(single, set)
		if err != nil {
			return err
		}
		places := []int{n / 4, n / 2, n - 1}
		for i, at := range places {
			if at < 1 || slices.Contains(places[:i], at) {
				continue
			}
			drafts := min(3, n-at)
			how := fmt.Sprintf("with %d draft tokens fed after token %d and rolled back", drafts, at-1)
			if err := c.inSteps(single, decode.Rollback(at, drafts), set, first, how); err != nil {
				return err
			}
		}
	}
	c.note("draft tokens rolled back at a quarter, a half and the end of the text, %s",
		c.judge.rule.text())
	return nil
}

func (c *checker) shift(n int) error {
	if n < 1 {
		return fmt.Errorf("positions shifted by %d: expected 1 or more", n)
	}
	c.note("positions starting at %d, %s; cached attention keys are not compared", n,
		c.judge.rule.text())
	for _, set := range c.sets {
		first, err := c.runIn(c.subject.Engine, set)
		if err != nil {
			return err
		}
		keys, err := decode.Keys(first.run)
		if err != nil {
			return err
		}
		first.outputs = first.outputs.Only(slices.DeleteFunc(first.outputs.Names(),
			func(name string) bool { return slices.Contains(keys, name) })...)
		how := fmt.Sprintf("with positions starting at %d", n)
		if err := c.inSteps(c.subject.Engine, decode.From(n), set, first, how); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) sequences() error {
	e := c.subject.Engine
	if _, file := c.subject.Model.(*loaders.Model); file { // a server's model drives itself
		var err error
		if e, err = decode.With(e); err != nil {
			return err
		}
	}
	for _, set := range c.sets {
		ids, err := tokensOf(set)
		if err != nil {
			return err
		}
		batch := ids
		if len(ids.rows) == 1 {
			batch = ids.withNeighbours()
			c.note("only one sequence was given; the others in its batch are derived from it")
		}
		for i := range ids.rows {
			if err := c.sequence(e, set, batch, i); err != nil {
				return err
			}
		}
	}
	c.note("ran each sequence alone, in the batch and, if there is a mask, in the batch with 1 and "+
		"with 5 more padding tokens; compared %s", c.judge.rule.text())
	return nil
}

// sequence compares one sequence of a batch with the same sequence alone.
func (c *checker) sequence(e backends.Engine, set *tensor.Set, batch texts, i int) error {
	alone, err := batch.set(set, []int{i}, batch.front(i), 0)
	if err != nil {
		return err
	}
	first, err := c.runIn(e, alone)
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
				continue // without a mask, padding is impossible
			}
			how += fmt.Sprintf(", with %d more padding tokens", more)
		}
		padded, err := batch.set(set, all, 0, more)
		if err != nil {
			return err
		}
		run, err := backends.RunIn(c.ctx, e, c.subject.Model, fixtures.Of(padded))
		if err != nil {
			return fmt.Errorf("%s: %w", how, err)
		}
		of, err := referenceOf(decode.Cut(run, i, batch.front(i)+more))
		if err != nil {
			return err
		}
		if err := c.compareDecoded(of, first, how); err != nil {
			return err
		}
	}
	return nil
}
