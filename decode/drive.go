package decode

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// drive is the state of decoding one batch of sequences.
type drive struct {
	*batch
	layout   *layout
	settings *settings

	number    int                       // the number of the next step, from 0
	past      int                       // the number of tokens in the caches
	total     int                       // the number of tokens to feed: all but the last generated one
	caches    map[string]*tensor.Tensor // the caches to feed, or the last ones, by past input
	collected *collector

	made backends.Provenance // of the inner engine's last step
	took time.Duration       // the time that the steps spent in the inner engine
}

func newDrive(l *layout, s *settings, set *tensor.Set) (*drive, error) {
	b, err := l.batchOf(set)
	if err != nil {
		return nil, err
	}
	d := &drive{batch: b, layout: l, settings: s, total: len(b.ids[0]),
		caches: map[string]*tensor.Tensor{}}
	if s.Greedy > 0 {
		d.total += s.Greedy - 1
	}
	for i, row := range b.mask {
		for _, real := range row {
			if real == 0 && l.mask == nil {
				return nil, fmt.Errorf("sequence %d is padded, but the model has no attention mask: "+
					"pass sequences of equal length", i)
			}
		}
		if s.Greedy > 0 && row[len(row)-1] == 0 {
			return nil, fmt.Errorf("sequence %d ends with padding, but Greedy continues from the last "+
				"token: pad on the left", i)
		}
	}
	for _, c := range l.caches {
		if c.static() && c.past.Dims[c.Axis].Size < d.total {
			return nil, fmt.Errorf("cache input %s has room for %d tokens, but decoding needs %d", c.past,
				c.past.Dims[c.Axis].Size, d.total)
		}
		first, err := c.empty(len(b.ids), 0)
		if err != nil {
			return nil, err
		}
		d.caches[c.past.Name] = first
	}
	switch at := s.Rollback; {
	case at != nil && at[0]+at[1] > len(b.ids[0]):
		return nil, fmt.Errorf("to roll back %d tokens after the first %d, sequences must have at "+
			"least %d tokens; got %d", at[1], at[0], at[0]+at[1], len(b.ids[0]))
	case s.From > 0 && l.positions == nil:
		return nil, errors.New("the model has no input position_ids, so its positions always start at 0")
	}
	d.collected = &collector{drive: d}
	return d, nil
}

// shape returns the shape of the cache with the given number of slots or, if the cache has a fixed
// length, with that length.
func (s layerCache) shape(rows, slots int) tensor.Shape {
	shape := sizes(s.past)
	shape[s.Batch] = rows
	if !s.static() {
		shape[s.Axis] = slots
	}
	return shape
}

// empty returns a cache of zeros; see [layerCache.shape].
func (s layerCache) empty(rows, slots int) (*tensor.Tensor, error) {
	return blank(s.past, s.shape(rows, slots))
}

// blank returns a tensor of zeros of the input's declared element type.
func blank(v loaders.Value, shape tensor.Shape) (*tensor.Tensor, error) {
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	return tensor.FromBytes(v.Type, shape, make([]byte, v.Type.Bytes(n)))
}

func (d *drive) done() bool { return d.past >= d.total }

// size returns the number of tokens in the next step.
func (d *drive) size() int {
	left := max(len(d.ids[0])-d.past, 1)
	if at := d.settings.Rollback; at != nil && d.past < at[0] {
		left = min(left, at[0]-d.past)
	}
	return d.settings.step(d.number, left)
}

// blank sets all caches to zero, with the shapes that they have before the next step.
func (d *drive) blank() error {
	for _, c := range d.layout.caches {
		if c.Fixed {
			continue
		}
		t, err := c.empty(len(d.ids), d.past)
		if err != nil {
			return err
		}
		d.caches[c.past.Name] = t
	}
	return nil
}

// skip sets d to the state after a step of n tokens, without running the step.
func (d *drive) skip(n int) {
	d.number, d.past = d.number+1, d.past+n
	for i := range d.ids {
		for len(d.ids[i]) < min(d.past+1, d.total) {
			d.ids[i], d.mask[i] = append(d.ids[i], 0), append(d.mask[i], 1)
		}
	}
}

// feed returns the next step's inputs.
func (d *drive) feed() (*tensor.Set, error) {
	n, rows := d.size(), len(d.ids)
	end := d.past + n
	var entries []tensor.Entry
	var wrong error
	add := func(v *loaders.Value, shape tensor.Shape, at func(i int) int64) {
		if v == nil || wrong != nil {
			return
		}
		t, err := integers(*v, shape, at)
		entries, wrong = append(entries, tensor.Entry{Name: v.Name, Tensor: t}), err
	}
	l := d.layout
	add(l.tokens, tensor.Shape{rows, n}, func(i int) int64 { return d.ids[i/n][d.past+i%n] })
	width := d.span(end)
	add(l.mask, tensor.Shape{rows, width}, func(i int) int64 {
		if i%width >= end {
			return 0
		}
		return d.mask[i/width][i%width]
	})
	positions := d.positions(end)
	add(l.positions, tensor.Shape{rows, n}, func(i int) int64 { return positions[i/n][d.past+i%n] })
	add(l.slots, tensor.Shape{n}, func(i int) int64 { return int64(d.past + i) })
	if l.branch != nil {
		add(l.branch, sizes(*l.branch), func(int) int64 { return int64(min(d.past, 1)) })
	}
	if wrong != nil {
		return nil, wrong
	}
	for _, c := range l.caches {
		if t := d.caches[c.past.Name]; t != nil {
			entries = append(entries, tensor.Entry{Name: c.past.Name, Tensor: t})
		}
	}
	return tensor.NewSet(append(entries, d.more...)...)
}

// span returns the length of the attention mask: the length that the model declares or, if the
// model declares none, the number of tokens up to the end of the step.
func (d *drive) span(end int) int {
	if v := d.layout.mask; v != nil && v.HasShape && len(v.Dims) == 2 && !v.Dims[1].Dynamic() {
		return v.Dims[1].Size
	}
	return end
}

// positions returns each token's position in its sequence, not counting padding on the left.
func (d *drive) positions(end int) [][]int64 {
	all := make([][]int64, len(d.ids))
	for r := range all {
		all[r] = make([]int64, end)
		next := int64(d.settings.From)
		for i := range end {
			all[r][i] = next
			next += d.mask[r][i]
		}
	}
	return all
}

// sizes returns an input's declared shape. Dynamic dimensions become 1.
func sizes(v loaders.Value) tensor.Shape {
	shape := make(tensor.Shape, len(v.Dims))
	for i, dim := range v.Dims {
		if shape[i] = dim.Size; dim.Dynamic() {
			shape[i] = 1
		}
	}
	return shape
}

// integers builds a tensor of the input's declared element type from integer values.
func integers(v loaders.Value, shape tensor.Shape, at func(i int) int64) (*tensor.Tensor, error) {
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	switch v.Type {
	case tensor.Int64:
		return filled(shape, n, at)
	case tensor.Int32:
		return filled(shape, n, func(i int) int32 { return int32(at(i)) })
	case tensor.Bool:
		return filled(shape, n, func(i int) bool { return at(i) != 0 })
	case tensor.Float32:
		return filled(shape, n, func(i int) float32 { return float32(at(i)) })
	}
	return nil, fmt.Errorf("input %s: unsupported type; expected int64, int32, bool or float32", v)
}

func filled[T tensor.Native](shape tensor.Shape, n int, at func(int) T) (*tensor.Tensor, error) {
	values := make([]T, n)
	for i := range values {
		values[i] = at(i)
	}
	return tensor.New(shape, values)
}

// take stores a step's outputs. For each cache that the step wrote, it calls check with the number
// of slots that the cache then has.
func (d *drive) take(outputs *tensor.Set, check func(c layerCache, slots int) error) error {
	n := d.size()
	logits, ok := outputs.Get(d.layout.logits)
	if !ok {
		return fmt.Errorf("the model returned no output %q", d.layout.logits)
	}
	shape := logits.Shape()
	if len(shape) != 3 || shape[0] != len(d.ids) || shape[2] == 0 || !logits.ElementType().IsFloat() {
		return fmt.Errorf("output %q is %v%v; expected a float type and the shape [%d,%d,vocabulary]",
			d.layout.logits, logits.ElementType(), shape, len(d.ids), n)
	}
	if shape[1] != n {
		return fmt.Errorf("output %q has the shape %v: logits of %d tokens instead of the step's %d; "+
			"decode one token per step: decode.Steps(1), --steps 1", d.layout.logits, shape, shape[1], n)
	}
	if d.settings.Greedy > 0 && d.past+n >= len(d.ids[0]) {
		if err := d.choose(logits); err != nil {
			return err
		}
	}
	if err := d.collected.add(logits, d.past); err != nil {
		return err
	}
	for _, c := range d.layout.caches {
		if c.Fixed && d.number > 0 {
			continue
		}
		if err := check(c, d.past+n); err != nil {
			return err
		}
	}
	d.number, d.past = d.number+1, d.past+n
	return nil
}

// fits returns an error if a cache returned by a step does not have the expected type and shape.
func (s layerCache) fits(elem tensor.ElementType, shape tensor.Shape, rows, slots int) error {
	if elem != s.past.Type || len(shape) != len(s.past.Dims) {
		return fmt.Errorf("cache output %q is %v%v, but the cache's input is %s", s.Output, elem,
			shape, s.past)
	}
	for i, want := range s.shape(rows, slots) {
		if shape[i] != want && !(i == s.Axis && s.Fixed) {
			return fmt.Errorf("cache output %q is %v after %d tokens: expected a length of %d along axis "+
				"%d", s.Output, shape, slots, want, i)
		}
	}
	return nil
}

// choose appends to each sequence the token with the largest logit.
func (d *drive) choose(logits *tensor.Tensor) error {
	shape := logits.Shape()
	for r := range d.ids {
		from := (r*shape[1] + shape[1] - 1) * shape[2]
		best, token := math.Inf(-1), -1
		for i := range shape[2] {
			if v := logits.Float64At(from + i); v > best || token < 0 && v == best {
				best, token = v, i
			}
		}
		if token < 0 {
			return errors.New("all logits of the last token are NaN; no token can be chosen")
		}
		d.ids[r], d.mask[r] = append(d.ids[r], int64(token)), append(d.mask[r], 1)
	}
	return nil
}
