package search

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// edit is a list of changes to the graph of one side: of the actual or the expected model.
type edit struct {
	side  int
	sites []site
}

var sideNames = [2]string{"actual", "expected"}

// editing is the state of a search that edits graphs.
type editing struct {
	models [2]*loaders.Model
	sites  [2][]site
	parts  [2]backends.Engine
	forget []func()
	drawn  int

	current *edit // the edit for new candidates; nil for the original graphs
	until   int   // the number of trials after which the edit changes

	open    backends.Backend // the edited model of opened; nil if refused is set
	opened  *edit            // the last edit whose model was opened
	refused error            // the error of opening it
}

// startEditing finds the places at which the graphs of both sides can be edited.
func (h *hunt) startEditing() error {
	e := &editing{}
	h.editing = e
	for i, s := range h.subjects {
		var err error
		if e.models[i], err = backends.ONNX("editing graphs", s.Model); err != nil {
			return err
		}
		if e.sites[i], err = sitesOf(e.models[i]); err != nil {
			return err
		}
		parts, forget, err := backends.ForParts(h.ctx, s.Engine, s.Model, fixtures.Of(h.opening...))
		e.forget = append(e.forget, forget)
		if err != nil {
			return err
		}
		e.parts[i] = parts
	}
	if len(e.sites[0])+len(e.sites[1]) == 0 {
		return errors.New("neither graph has a node that can be edited without changing results; leave " +
			"out Options.Edits (--edits)")
	}
	return nil
}

// end releases the edited models.
func (e *editing) end() {
	if e.open != nil {
		_ = e.open.Close() // its results are complete
		e.open = nil
	}
	for _, forget := range e.forget {
		forget()
	}
}

// edit returns the edit for the next candidate, or nil for the original graphs. The search
// alternates between the original graphs and an edited one, for one draw of each kind at a time.
func (h *hunt) edit() *edit {
	e, tried := h.editing, h.found.tried()
	if e == nil {
		return nil
	}
	if e.current != nil && e.current == e.opened && e.refused != nil {
		e.until = tried // stop using this edit: the engine rejects it
	}
	if tried >= e.until {
		e.until = tried + len(draws)
		if e.current == nil && tried > 0 {
			e.current = h.drawEdit()
		} else {
			e.current = nil
		}
	}
	return e.current
}

// drawEdit returns an edit of one side; the sides alternate. The first edits change all sites of
// one kind each, and later edits change random sites.
func (h *hunt) drawEdit() *edit {
	e := h.editing
	for {
		n := e.drawn
		e.drawn++
		side, turn := n%2, n/2
		all := e.sites[side]
		if len(all) == 0 {
			continue
		}
		if turn < len(kinds) {
			sites := slices.DeleteFunc(slices.Clone(all), func(s site) bool {
				return s.kind != kinds[turn]
			})
			if len(sites) > 0 {
				return &edit{side, sites}
			}
			continue
		}
		size := min(len(all), 1<<h.random.IntN(4))
		places := h.random.Perm(len(all))[:size]
		slices.Sort(places)
		sites := make([]site, size)
		for i, at := range places {
			sites[i] = all[at]
		}
		return &edit{side, sites}
	}
}

// side returns the backend that runs a candidate on one side.
func (h *hunt) side(i int, c *candidate) (backends.Backend, error) {
	if c.edit == nil || c.edit.side != i {
		return h.sides[i], nil
	}
	e := h.editing
	if e.opened == c.edit {
		return e.open, e.refused
	}
	if e.open != nil {
		_ = e.open.Close() // its results are complete
	}
	e.open, e.opened, e.refused = nil, c.edit, nil
	model, err := edited(e.models[i], c.edit.sites)
	if err == nil {
		e.open, err = e.parts[i].Open(h.ctx, model, fixtures.Of(h.opening...))
	}
	if err != nil {
		e.open, e.refused = nil, fmt.Errorf("the edited %s graph: %w", sideNames[i], err)
	}
	return e.open, e.refused
}

// dropEdits drops edits as long as the sides still differ: first all edits together, then shorter
// and shorter ranges of them. keep reports whether the sides differ on a candidate.
func (h *hunt) dropEdits(c *candidate, keep func(*candidate) (bool, error)) error {
	if c.edit == nil {
		return nil
	}
	with := func(e *edit) (bool, error) {
		n := c.clone(c.how)
		n.edit = e
		return keep(n)
	}
	if parts, err := with(nil); parts || err != nil {
		return err
	}
	left := c.edit.sites
	for length := len(left) / 2; length > 0; {
		dropped := false
		for from := 0; from < len(left) && len(left) > 1; {
			to := min(from+length, len(left))
			rest := slices.Concat(left[:from], left[to:])
			if len(rest) == 0 {
				break
			}
			parts, err := with(&edit{c.edit.side, rest})
			if err != nil {
				return err
			}
			if parts {
				left, dropped = rest, true
				continue
			}
			from = to
		}
		if !dropped || length > len(left)/2 {
			length = min(length/2, len(left)/2)
		}
	}
	return nil
}

func (h *hunt) recordEdits(c *candidate) (err error) {
	if c.edit == nil {
		return nil
	}
	h.found.Edited, h.found.side = sideNames[c.edit.side], c.edit.side
	for _, s := range c.edit.sites {
		h.found.Edits = append(h.found.Edits, s.String())
	}
	h.found.edited, err = edited(h.editing.models[c.edit.side], c.edit.sites)
	return err
}

// splits reports whether the edit changes where sums round and overflow.
func (e *edit) splits() bool {
	return e != nil && slices.ContainsFunc(e.sites, func(s site) bool { return s.kind == split })
}

// limitFloats limits the floats of a candidate whose edit splits sums to the fourth root of the
// type's largest number, so that no sum overflows.
func (h *hunt) limitFloats(c *candidate) {
	if !c.edit.splits() {
		return
	}
	for _, v := range h.inputs {
		if !v.Type.IsFloat() {
			continue
		}
		_, hi := bounds(v.Type)
		limit := math.Sqrt(math.Sqrt(hi))
		values := c.values[v.Name]
		fill(values, func(i int) float64 { return max(-limit, min(limit, values[i])) })
	}
}

func finite(outputs *tensor.Set) bool {
	for _, t := range outputs.All() {
		if t.ElementType().IsFloat() && slices.ContainsFunc(t.Float64s(), func(v float64) bool {
			return v-v != 0
		}) {
			return false
		}
	}
	return true
}
