package relations

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/tensor"
)

// Steps is the relation that a decoder decodes as it prefills: its logits and caches are the same
// in steps of one token, of two, of five, of three and then of one, and with all tokens in one
// step. Without another rule this is judged within noise: kernels for one token round otherwise. A
// breach names the first token, layer and cache. A run of anything but a decoder (package decode)
// is not judged.
func Steps() Relation {
	return Relation{name: "steps", text: "a decoder gives the same in steps of any size",
		check: (*checker).steps, near: true}
}

// stepSizes are the ways through the tokens that are held to one token a step; none is all at once.
var stepSizes = [][]int{nil, {2}, {5}, {3, 1}}

// steps checks [Steps].
func (c *checker) steps() error {
	single, err := decode.With(c.subject.Engine, decode.Steps(1))
	if err != nil {
		return err
	}
	c.note("steps of 1, 2, 5, 3 and then 1, and all at once, %s", c.judge.rule)
	for _, set := range c.sets {
		run, err := c.runIn(single, set)
		if err != nil {
			return err
		}
		outputs, err := outputsOf(run)
		if err != nil {
			return err
		}
		for _, sizes := range stepSizes {
			how, option := "all in one step, held to steps of 1", decode.Whole()
			if sizes != nil {
				how = fmt.Sprintf("in steps of %d, held to steps of 1", sizes)
				option = decode.Steps(sizes...)
			}
			other, err := decode.With(single, option)
			if err != nil {
				return err
			}
			if err := c.inSteps(other, set, reference{run: run, outputs: outputs}, how); err != nil {
				return err
			}
		}
	}
	return nil
}

// inSteps holds the run of one engine to that of single steps.
func (c *checker) inSteps(e backends.Engine, set *tensor.Set, first reference, how string) error {
	run, err := c.runIn(e, set)
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	return c.decoded(run, first, how)
}

// decoded holds a decoder's run to another, and names the token, layer and head where they part.
func (c *checker) decoded(run *backends.Run, first reference, how string) error {
	outputs, err := outputsOf(run)
	if err != nil {
		return err
	}
	d, err := c.judge.sets(outputs, first)
	if d == nil || err != nil {
		return err
	}
	breach := newBreach(d, how)
	hold := c.judge.slice(first)
	found, err := decode.PartBy(run, first.run, func(at decode.Slice, actual,
		expected *tensor.Tensor) (string, error) {
		if _, counts := first.outputs.Get(at.Output); !counts {
			return "", nil
		}
		return hold(at, actual, expected)
	})
	switch {
	case err != nil:
		breach.Inside = "where they part is not known: " + err.Error()
	case found != nil:
		breach.Inside = found.String()
	}
	return c.breaks(breach)
}

// slice holds one token of an output to that of a reference.
func (j *judge) slice(first reference) decode.Hold {
	return func(at decode.Slice, actual, expected *tensor.Tensor) (string, error) {
		of := first
		if at.Axis >= 0 {
			of.rows = map[string]row{at.Output: {axis: at.Axis, at: at.Position}}
		}
		d, err := j.tensors(at.Output, actual, expected, of)
		if d == nil || err != nil {
			return "", err
		}
		return d.text, nil
	}
}
