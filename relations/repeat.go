package relations

import (
	"fmt"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Repeat is the relation that a run repeats: n times in one session, with runs of other inputs in
// between, in new sessions, from several goroutines at once, in two sessions at once, and in turn
// in three streams of a device, where the engine has such. n is 2 or more. The first run of a new
// session, or what the subject gave when it ran (Options.Ran), is what the others are held to.
func Repeat(n int) Relation {
	r := Relation{name: "repeat", text: fmt.Sprintf("a run gives the same %d times", n),
		check: func(c *checker) error { return c.repeat(n) }}
	if n < 2 {
		r.wrong = fmt.Errorf("a run that happens %d times repeats nothing; ask for 2 or more", n)
	}
	return r
}

// The number of new sessions, of goroutines that share one, and of streams. With three streams two
// inputs by turns meet each of them.
const (
	sessions   = 2
	goroutines = 4
	streams    = 3
)

// repeat checks [Repeat].
func (c *checker) repeat(n int) error {
	for i, set := range c.sets {
		if err := c.repeatSet(n, i, set); err != nil {
			return err
		}
	}
	also := ""
	if backends.CapabilitiesOf(c.subject.Engine).Streams != nil {
		also = fmt.Sprintf(", %d streams by turns", streams)
	}
	c.note("%d runs in one session, %d new sessions, %d goroutines at once, 2 sessions at once%s", n,
		sessions, goroutines, also)
	return nil
}

// repeatSet repeats one iteration.
func (c *checker) repeatSet(n, iteration int, set *tensor.Set) error {
	other, err := c.another(set)
	if err != nil {
		return err
	}
	var first, between reference
	for session := range sessions + 1 {
		run, err := c.fresh(set)
		if err != nil {
			return err
		}
		if session == 0 {
			first = run
			if err := c.asItRan(iteration, run); err != nil {
				return err
			}
		}
		if err := c.again(run, first, "in a new session"); err != nil {
			return err
		}
	}
	if other == nil {
		c.noteOnce("no other inputs in between: the elements of each input are equal")
	} else if between, err = c.fresh(other); err != nil {
		return err
	}
	p := inputPair{set, other, first, between}
	if err := c.open(set); err != nil {
		return err
	}
	if err := c.inTurn(n, "in run %d of one session", p); err != nil {
		return err
	}
	how := fmt.Sprintf("with %d goroutines at once", goroutines)
	if err := c.atOnce(n, how, p, c.backend); err != nil {
		return err
	}
	second, err := c.subject.Engine.Open(c.ctx, c.subject.Model, fixtures.Of(c.sets[0], set))
	if err != nil {
		return err
	}
	err = c.atOnce(n, "with 2 sessions at once", p, c.backend, second)
	_ = second.Close() // what it ran is known
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
		fmt.Sprintf("in run %%d of one session, in %d streams by turns", streams), p)
}

// inputPair is inputs, others that run in between (nil where there are none), and what each gives.
type inputPair struct {
	set, other     *tensor.Set
	first, between reference
}

// inTurn runs both inputs by turns in the open session, n times each.
func (c *checker) inTurn(n int, where string, p inputPair) error {
	for i := range n {
		run, err := c.reference(p.set)
		if err != nil {
			return err
		}
		if err := c.again(run, p.first, fmt.Sprintf(where, i*2+1)); err != nil {
			return err
		}
		if p.other == nil {
			continue
		}
		if run, err = c.reference(p.other); err != nil {
			return err
		}
		how := fmt.Sprintf(where, i*2+2) + ", behind a run of other inputs"
		if err := c.again(run, p.between, how); err != nil {
			return err
		}
	}
	return nil
}

// another is the set with the elements of each input moved along; nil where that changes nothing.
func (c *checker) another(set *tensor.Set) (*tensor.Set, error) {
	for step := 1; step < 8; step++ {
		other, err := moved(set, nil, step)
		if err != nil {
			return nil, err
		}
		for name, t := range set.All() {
			if o, _ := other.Get(name); !equal(t, o) {
				return other, nil
			}
		}
	}
	return nil, nil
}

// fresh is a run in a session of its own.
func (c *checker) fresh(set *tensor.Set) (reference, error) {
	run, err := c.runIn(c.subject.Engine, set)
	if err != nil {
		return reference{}, err
	}
	outputs, err := outputsOf(run)
	return reference{run: run, outputs: outputs}, err
}

// reference is a run in the open session.
func (c *checker) reference(set *tensor.Set) (reference, error) {
	run, err := c.run(set)
	if err != nil {
		return reference{}, err
	}
	outputs, err := outputsOf(run)
	return reference{run: run, outputs: outputs}, err
}

// asItRan holds what the subject gave when it ran to a run of now.
func (c *checker) asItRan(iteration int, now reference) error {
	if iteration >= len(c.options.Ran) {
		return nil
	}
	ran, err := stacked(c.options.Ran[iteration])
	if err != nil {
		return err
	}
	d, err := c.judge.sets(now.outputs, reference{run: now.run, outputs: ran})
	if d != nil {
		return c.breaks(newBreach(d, "beside the run that was given"))
	}
	return err
}

// again holds a run to the first.
func (c *checker) again(run, first reference, how string) error {
	if run.run == first.run {
		return nil
	}
	d, err := c.judge.sets(run.outputs, first)
	if d != nil {
		return c.breaks(newBreach(d, how))
	}
	return err
}

// atOnce runs in several goroutines, by turns on both inputs, in sessions that they share.
func (c *checker) atOnce(n int, how string, p inputPair, sessions ...backends.Backend) error {
	runs := make([][]*backends.Run, goroutines)
	errs := make([]error, goroutines)
	isOther := func(g, i int) bool { return p.other != nil && (i+g/len(sessions))%2 == 1 }
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range 2 * n {
				inputs := p.set
				if isOther(g, i) {
					inputs = p.other
				}
				run, err := sessions[g%len(sessions)].Run(c.ctx, fixtures.Of(inputs))
				if err != nil {
					errs[g] = err
					return
				}
				runs[g] = append(runs[g], run)
			}
		})
	}
	all.Wait()
	for g := range runs {
		if errs[g] != nil {
			return fmt.Errorf("%s: %w", how, errs[g])
		}
		for i, run := range runs[g] {
			outputs, err := outputsOf(run)
			if err != nil {
				return err
			}
			expected := p.first
			if isOther(g, i) {
				expected = p.between
			}
			if err := c.again(reference{run: run, outputs: outputs}, expected, how); err != nil {
				return err
			}
		}
	}
	return nil
}
