package relations

import (
	"fmt"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// Repeat is the relation that a run repeats: n times in one session, with runs of other inputs in
// between, in new sessions, and from several goroutines at once. n is 2 or more. The first run of a
// new session, or what the subject gave when it ran (Options.Ran), is what the others are held to.
func Repeat(n int) Relation {
	r := Relation{name: "repeat", text: fmt.Sprintf("a run gives the same %d times", n),
		check: func(c *checker) error { return c.repeat(n) }}
	if n < 2 {
		r.wrong = fmt.Errorf("a run that happens %d times repeats nothing; ask for 2 or more", n)
	}
	return r
}

// The number of new sessions, and of goroutines that share one.
const (
	sessions   = 2
	goroutines = 4
)

// repeat checks [Repeat].
func (c *checker) repeat(n int) error {
	for i, set := range c.sets {
		if err := c.repeatSet(n, i, set); err != nil {
			return err
		}
	}
	c.note("%d runs in one session, %d new sessions, %d goroutines at once", n, sessions, goroutines)
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
	if err := c.open(set); err != nil {
		return err
	}
	for i := range n {
		run, err := c.reference(set)
		if err != nil {
			return err
		}
		if err := c.again(run, first, fmt.Sprintf("in run %d of one session", i*2+1)); err != nil {
			return err
		}
		if other == nil {
			continue
		}
		if run, err = c.reference(other); err != nil {
			return err
		}
		how := fmt.Sprintf("in run %d of one session, behind a run of other inputs", i*2+2)
		if err := c.again(run, between, how); err != nil {
			return err
		}
	}
	return c.atOnce(n, set, other, first, between)
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

// atOnce runs in several goroutines, which share the open session, by turns on both inputs.
func (c *checker) atOnce(n int, set, other *tensor.Set, first, between reference) error {
	runs := make([][]*backends.Run, goroutines)
	errs := make([]error, goroutines)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range 2 * n {
				inputs := set
				if other != nil && (i+g)%2 == 1 {
					inputs = other
				}
				run, err := c.run(inputs)
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
			return fmt.Errorf("%d goroutines at once: %w", goroutines, errs[g])
		}
		for i, run := range runs[g] {
			outputs, err := outputsOf(run)
			if err != nil {
				return err
			}
			expected := first
			if other != nil && (i+g)%2 == 1 {
				expected = between
			}
			how := fmt.Sprintf("with %d goroutines at once", goroutines)
			if err := c.again(reference{run: run, outputs: outputs}, expected, how); err != nil {
				return err
			}
		}
	}
	return nil
}
