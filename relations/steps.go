package relations

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/tensor"
)

// Steps requires that decoding agrees with prefill: a decoder's logits and caches must not depend
// on the number of tokens per step. The reference is a run with one token per step. It is compared
// with runs of two and of five tokens per step, of three tokens in the first step and one in each
// later step, and of all tokens in one step. By default, differences within rounding noise are
// allowed, because kernels for one token round differently. The report names the first token, layer
// and cache that differ. Only runs of decoders (package decode) can be judged.
func Steps() Relation {
	return Relation{name: "steps", text: "the number of tokens per step does not change the outputs",
		check: (*checker).steps, near: true}
}

// stepSizes lists the step sizes to compare with steps of one token; nil means all tokens in one
// step.
var stepSizes = [][]int{nil, {2}, {5}, {3, 1}}

func (c *checker) steps() error {
	single, err := decode.With(c.subject.Engine, decode.Steps(1))
	if err != nil {
		return err
	}
	c.note("decoded in five ways: 1 token per step; 2 tokens per step; 5 tokens per step; 3 tokens "+
		"in the first step, then 1 per step; all tokens in one step. Compared %s", c.judge.rule.text())
	for _, set := range c.sets {
		first, err := c.runIn(single, set)
		if err != nil {
			return err
		}
		for _, sizes := range stepSizes {
			how, option := "all tokens in one step, compared with steps of 1 token", decode.Whole()
			if sizes != nil {
				how = fmt.Sprintf("in steps of %d tokens, compared with steps of 1 token", sizes)
				option = decode.Steps(sizes...)
			}
			if err := c.inSteps(single, option, set, first, how); err != nil {
				return err
			}
		}
	}
	return nil
}

// inSteps runs the decoder in an engine with an additional option, and compares its outputs with
// the first run's.
func (c *checker) inSteps(e backends.Engine, option decode.Option, set *tensor.Set,
	first reference, how string) error {
	e, err := decode.With(e, option)
	if err != nil {
		return err
	}
	run, err := c.runIn(e, set)
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	return c.compareDecoded(run, first, how)
}

// compareDecoded compares a decoder's run with the reference. If they differ, it records the first
// token, layer and head that do.
func (c *checker) compareDecoded(of, first reference, how string) error {
	breach, err := c.judge.sets(of.outputs, first)
	if breach == nil || err != nil {
		return err
	}
	breach.How = how
	found, err := decode.PartBy(of.run, first.run, func(at decode.Slice, actual,
		expected *tensor.Tensor) (string, error) {
		if _, counts := first.outputs.Get(at.Output); !counts {
			return "", nil
		}
		return c.judge.hold(at, actual, expected, first.run)
	})
	switch {
	case err != nil:
		breach.Inside = "cannot locate the first difference: " + err.Error()
	case found != nil:
		breach.Inside = found.String()
	}
	return c.breaks(breach)
}
