package relations

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// Reset requires that a stream does not affect later streams. The same frames must give the same
// outputs in a second stream in the same session, in a stream in a new session, and after a reset
// of the states in the middle of a stream. Only runs of streams ([decode.Stream]) can be judged.
func Reset() Relation {
	return Relation{name: "reset", text: "after a reset, a stream computes what a new one does",
		check: (*checker).reset}
}

// Chunks requires that a stream gives the same result if frames are joined into chunks of 2, 3 or 7
// frames, or all into a single chunk. Frames are joined along the axes in Options.Along. By
// default, they are joined along the first dimension that inputs and outputs share and whose name
// suggests frames or a sequence; without such a dimension, the model cannot be judged. States are
// compared at the end of each chunk. By default, differences within rounding noise are allowed.
// Only runs of streams ([decode.Stream]) can be judged.
func Chunks() Relation {
	return Relation{name: "chunks", text: "joining frames into chunks changes nothing",
		check: (*checker).chunks, near: true}
}

// streamed is a stream's run with its frames.
type streamed struct {
	run    *backends.Run
	frames []*tensor.Set
	states map[string]string // maps each state output to the input that it becomes
}

// stream runs the subject's frames.
func (c *checker) stream() (s streamed, err error) {
	s.run, err = backends.RunIn(c.ctx, c.subject.Engine, c.subject.Model, fixtures.Of(c.sets...))
	if err != nil {
		return s, err
	}
	if s.states, err = decode.States(s.run); err != nil {
		return s, err
	}
	if len(s.states) == 0 {
		return s, errors.New("the run is not a stream: make it with decode.Stream")
	}
	if s.frames, err = s.run.Subject().Draw(); err != nil {
		return s, err
	}
	if len(s.frames) < 2 {
		return s, errors.New("a stream of one frame carries no state: pass more frames")
	}
	return s, nil
}

// sameFrame compares outputs with the outputs of one frame of s. If names are passed, it compares
// only the outputs with these names.
func (c *checker) sameFrame(outputs *tensor.Set, s streamed, frame int, how string,
	names ...string) error {
	expected, err := sets.Stacked(s.run.Outputs()[frame])
	if err == nil {
		outputs, err = sets.Stacked(outputs)
	}
	if err != nil {
		return err
	}
	if len(names) > 0 {
		expected = expected.Only(names...)
	}
	return c.same(outputs, reference{run: s.run, outputs: expected, iteration: frame},
		fmt.Sprintf("%s, frame %d", how, frame))
}

func (c *checker) reset() error {
	s, err := c.stream()
	if err != nil {
		return err
	}
	more := map[string]*tensor.Tensor{}
	for output, input := range s.states {
		if _, given := s.frames[0].Get(input); given {
			continue
		}
		like, _ := s.run.Outputs()[0].Get(output)
		if more[input], err = tensor.FromBytes(like.ElementType(), like.Shape(),
			make([]byte, like.Size())); err != nil {
			return err
		}
	}
	begin, err := sets.With(s.frames[0], more)
	if err != nil {
		return err
	}
	restarted := append(append(slices.Clone(s.frames), begin), s.frames[1:]...)
	n := len(s.frames)
	for session := range 2 {
		if err := c.openIn(c.subject.Engine, restarted...); err != nil {
			return err
		}
		for _, again := range []struct {
			how    string
			frames []*tensor.Set
		}{{"in a new stream", s.frames}, {"in another stream of the session", s.frames},
			{"after a reset of the states", restarted}} {
			run, err := c.backend.Run(c.ctx, fixtures.Of(again.frames...))
			if err != nil {
				return err
			}
			for i, outputs := range run.Outputs()[len(again.frames)-n:] {
				how := fmt.Sprintf("%s (session %d)", again.how, session+1)
				if err := c.sameFrame(outputs, s, i, how); err != nil {
					return err
				}
			}
		}
	}
	c.note("2 sessions, each with 3 streams, the last of which is reset after %d frames, %s", n,
		c.judge.rule.text())
	return nil
}

// framesOf finds the axis along which frames can be joined.
func (c *checker) framesOf(s streamed) (axes, error) {
	inputs, err := c.subject.Model.Inputs()
	if err != nil {
		return axes{}, err
	}
	if len(c.options.Along) > 0 {
		return givenAxes(inputs, s.frames[0], c.options.Along)
	}
	outputs := outputsOfModel(c.subject.Model)
	for _, v := range inputs {
		for _, d := range v.Dims {
			if d.Dynamic() && sequenceLike.MatchString(d.Symbol) && has(outputs, d.Symbol) {
				return symbolic(inputs, d.Symbol)
			}
		}
	}
	return axes{}, errors.New("no input and output share a dynamic dimension with a name such as " +
		"\"frames\" or \"time\", so frames cannot be joined into chunks; set the axis: " +
		"Along(input, axis)")
}

func (c *checker) chunks() error {
	s, err := c.stream()
	if err != nil {
		return err
	}
	along, err := c.framesOf(s)
	if err != nil {
		return err
	}
	counts := []int{2, 3, 7, len(s.frames)}
	slices.Sort(counts)
	for _, n := range slices.Compact(counts) {
		if n > len(s.frames) {
			break
		}
		if err := c.inChunks(s, along, n); err != nil {
			return err
		}
	}
	c.note("chunks of 2, 3, 7 and %d frames along %v, %s", len(s.frames), along, c.judge.rule.text())
	return nil
}

// inChunks runs the stream in chunks of n joined frames and compares it with s.
func (c *checker) inChunks(s streamed, along axes, n int) error {
	how := fmt.Sprintf("in chunks of %d frames", n)
	var chunks []*tensor.Set
	for group := range slices.Chunk(s.frames, n) {
		set, err := joinRows(along.inputs, group)
		if err != nil {
			return fmt.Errorf("%s: %w", how, err)
		}
		chunks = append(chunks, set)
	}
	run, err := backends.RunIn(c.ctx, c.subject.Engine, c.subject.Model, fixtures.Of(chunks...))
	if err != nil {
		return fmt.Errorf("%s: %w", how, err)
	}
	axisOf, whole := along.outputAxes(c.subject.Model, s.run.Outputs()[0], run.Outputs()[0],
		countOf(s.frames[0], along.inputs), countOf(chunks[0], along.inputs))
	for _, name := range whole {
		if s.states[name] == "" {
			c.note("output %q is not compared, because it has no axis of frames", name)
		}
	}
	for name := range s.states {
		delete(axisOf, name)
	}
	for i, outputs := range run.Outputs() {
		begin, end := i*n, min(i*n+n, len(s.frames))
		at := map[string]int{}
		for frame := begin; frame < end; frame++ {
			set, err := sets.Map(outputs, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
				axis, joined := axisOf[name]
				one, ok := s.run.Outputs()[frame].Get(name)
				switch {
				case ok && joined:
					from, n := at[name], one.Shape()[axis]
					at[name] += n
					return rows.Take(t, axis, from, n)
				case !ok || s.states[name] == "" || frame+1 < end:
					return nil, nil
				}
				return t, nil
			})
			if err != nil {
				return fmt.Errorf("%s: output %w", how, err)
			}
			if set.Len() > 0 {
				err = c.sameFrame(set, s, frame, how, set.Names()...)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
