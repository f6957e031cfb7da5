package relations

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// Threads requires the same results with 1, 2 and 4 threads. An engine without an option for
// threads cannot be judged.
func Threads() Relation {
	return Relation{name: "threads", text: "the number of threads changes nothing",
		check: (*checker).threads}
}

func (c *checker) threads() error {
	threads := backends.CapabilitiesOf(c.subject.Engine).Threads
	if threads == nil {
		return fmt.Errorf("%v has no number of threads to set; leave the relation out",
			c.subject.Engine)
	}
	one, err := threads(1)
	if err != nil {
		return err
	}
	c.note("1, 2 and 4 threads")
	for _, set := range c.sets {
		first, err := c.runIn(one, set)
		if err != nil {
			return err
		}
		for _, n := range []int{2, 4} {
			several, err := threads(n)
			if err != nil {
				return err
			}
			if several.Text() == one.Text() {
				return errors.New("the engine's text does not show its number of threads, so a change may " +
					"have no effect; leave the relation out")
			}
			how := fmt.Sprintf("with %d threads, compared with 1", n)
			if err := c.compareRuns(several, one, set, first, how); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareRuns runs the engine e and compares the run with first, a run of another engine.
func (c *checker) compareRuns(e, than backends.Engine, set *tensor.Set, first reference,
	how string) error {
	run, err := c.runIn(e, set)
	if err != nil {
		return err
	}
	d, err := c.judge.sets(run.outputs, first)
	if d == nil {
		return err
	}
	breach := newBreach(d, how)
	c.locate(breach, e, than, set)
	return c.breaks(breach)
}
