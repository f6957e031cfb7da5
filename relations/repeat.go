package relations

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// Repeat requires that repeated runs agree: n runs in one session, with runs on other inputs in
// between; runs in new sessions; runs from several goroutines at once, in one session and in two;
// and, if the device has streams, runs on three alternating streams. n must be 2 or more. The
// reference is the first run in a new session. If Options.Ran is set, its outputs are also
// compared with the reference.
func Repeat(n int) Relation {
	return Relation{name: "repeat", text: fmt.Sprintf("%d runs give the same result", n),
		check: func(c *checker) error { return c.repeat(n) }}
}

// The numbers of new sessions, of goroutines that share sessions, and of streams that [Repeat]
// uses. The number of streams is odd because runs alternate between two sets of inputs: each set
// then runs on every stream.
const (
	sessions   = 2
	goroutines = 4
	streams    = 3
)

func (c *checker) repeat(n int) error {
	if n < 2 {
		return fmt.Errorf("%s: there is nothing to compare; ask for 2 or more", figures.Plural(n, "run"))
	}
	for i, set := range c.sets {
		if err := c.repeatSet(n, i, set); err != nil {
			return err
		}
	}
	also := ""
	if backends.CapabilitiesOf(c.subject.Engine).Streams != nil {
		also = fmt.Sprintf(", %d alternating streams", streams)
	}
	c.note("%d runs in one session, %d new sessions, %d goroutines at once, 2 sessions at once%s", n,
		sessions, goroutines, also)
	return nil
}

// repeatSet runs the inputs of one iteration repeatedly and compares the outputs.
func (c *checker) repeatSet(n, iteration int, set *tensor.Set) error {
	other, err := c.another(set)
	if err != nil {
		return err
	}
	first, err := c.runIn(c.subject.Engine, set)
	if err != nil {
		return err
	}
	if err := c.compareWithGiven(iteration, first); err != nil {
		return err
	}
	for range sessions {
		run, err := c.runIn(c.subject.Engine, set)
		if err != nil {
			return err
		}
		if err := c.same(run.outputs, first, "in a new session"); err != nil {
			return err
		}
	}
	list := []repeated{{set, first}}
	if other == nil {
		c.note("no other inputs were run between the repeated runs: other inputs are made by " +
			"rotating the elements of each input, but rotation does not change these inputs")
	} else {
		between, err := c.runIn(c.subject.Engine, other)
		if err != nil {
			return err
		}
		list = append(list, repeated{other, between})
	}
	if err := c.open(set); err != nil {
		return err
	}
	if err := c.inTurn(n, "in run %d of one session", list); err != nil {
		return err
	}
	how := fmt.Sprintf("with %d goroutines at once", goroutines)
	if err := c.atOnce(n, how, list, c.backend); err != nil {
		return err
	}
	second, err := c.subject.Engine.Open(c.ctx, c.subject.Model, fixtures.Of(c.sets[0], set))
	if err != nil {
		return err
	}
	err = c.atOnce(n, "with 2 sessions at once", list, c.backend, second)
	_ = second.Close() // the results of second are complete
	if err != nil {
		return err
	}
	inStreams := backends.CapabilitiesOf(c.subject.Engine).Streams
	if inStreams == nil {
		return nil
	}
	several, err := inStreams(streams)
	if err != nil {
		return err
	}
	if err := c.openIn(several, set); err != nil {
		return err
	}
	return c.inTurn(max(n, streams),
		fmt.Sprintf("in run %%d of one session, on %d alternating streams", streams), list)
}

// repeated contains inputs to run repeatedly, and a reference run on them.
type repeated struct {
	inputs   *tensor.Set
	expected reference
}

// inTurn runs the inputs in the list alternately in the open session, n times each, and compares
// each run with its reference. howRun is a format that describes a run, given the run's number.
func (c *checker) inTurn(n int, howRun string, list []repeated) error {
	for i := range n * len(list) {
		in, how := list[i%len(list)], fmt.Sprintf(howRun, i+1)
		if i%len(list) > 0 {
			how += ", after a run of other inputs"
		}
		run, err := c.run(in.inputs)
		if err != nil {
			return err
		}
		if err := c.same(run.outputs, in.expected, how); err != nil {
			return err
		}
	}
	return nil
}

// another returns different inputs: the elements of each input rotated. It returns nil if rotation
// changes nothing.
func (c *checker) another(set *tensor.Set) (*tensor.Set, error) {
	for step := 1; step < 8; step++ {
		other, err := rotatedRow(set, nil, step)
		if err != nil {
			return nil, err
		}
		if !sameInputs(set, other, nil) {
			return other, nil
		}
	}
	return nil, nil
}

// compareWithGiven compares a new run with the subject's earlier outputs.
func (c *checker) compareWithGiven(iteration int, now reference) error {
	if iteration >= len(c.options.Ran) {
		return nil
	}
	ran, err := sets.Stacked(c.options.Ran[iteration])
	if err != nil {
		return err
	}
	return c.same(now.outputs, reference{run: now.run, outputs: ran},
		"in a new run, compared with the given outputs")
}

// atOnce runs several goroutines that share the sessions. Each alternates between the inputs in the
// list. Runs are compared as soon as they end, so that their outputs need not stay in memory.
func (c *checker) atOnce(n int, how string, list []repeated, sessions ...backends.Backend) error {
	errs := make([]error, goroutines)
	var all sync.WaitGroup
	var judging sync.Mutex
	judged := func(g, i int) error {
		in := list[(i+g/len(sessions))%len(list)]
		of, err := referenceOf(sessions[g%len(sessions)].Run(c.ctx, fixtures.Of(in.inputs)))
		if err != nil {
			return fmt.Errorf("%s: %w", how, err)
		}
		judging.Lock()
		defer judging.Unlock()
		return c.same(of.outputs, in.expected, how)
	}
	for g := range goroutines {
		all.Go(func() {
			for i := 0; i < 2*n && errs[g] == nil; i++ {
				errs[g] = judged(g, i)
			}
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}
