package locate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// Steps runs the steps of a search one by one. It returns what each step returned, printed at once
// and after the last step, and how many pairs were dropped and adopted.
func Steps(ctx context.Context, actual, expected backends.Subject, o Options) (
	atOnce, atLast []string, dropped, adopted int, err error) {
	w, err := newRunner(ctx, actual, expected, o)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	defer w.close()
	var s steps
	var results []func() string
	step := func(wrong error, result func() string) {
		if err == nil {
			err = wrong
		}
		results, atOnce = append(results, result), append(atOnce, result())
	}
	wrong := s.runWhole(ctx, w)
	whole := s.whole
	step(wrong, func() string { return fmt.Sprintf("%+v", whole) })
	wrong = s.pairTensors(ctx, w)
	paired := s.pairs
	step(wrong, func() string { return snapshot(paired) })
	wrong = s.compareInside(ctx, w)
	inside := s.judged
	step(wrong, func() string { return snapshot(inside) })
	wrong = s.settle(ctx, w)
	settled := s.judged
	step(wrong, func() string { return snapshot(settled) })
	wrong = s.explain(ctx, w)
	last, explained := s.judged, s.explained
	step(wrong, func() string { return snapshot(last) + fmt.Sprintf("%+v", explained) })
	if err == nil {
		s.rounding, err = judgeRounding(ctx, w, &s)
	}
	if _, wrong := s.complete(w); err == nil {
		err = wrong
	}
	for _, result := range results {
		atLast = append(atLast, result())
	}
	return atOnce, atLast, len(settled.pairs.dropped), len(s.judged.pairs.rows) -
		len(settled.pairs.rows), err
}

// snapshot prints all that a step found. Graphs remember what they computed once, and are left out.
func snapshot(of any) string {
	var text strings.Builder
	switch p := of.(type) {
	case *pairs:
		c := *p
		c.views, c.matched, c.rows = views{}, nil, nil
		rows, err := json.Marshal(p.rows)
		fmt.Fprintf(&text, "%+v %+v %s %v", c, p.views.expected.names, rows, err)
	case *judged:
		c := *p
		c.pairs, c.tensors = nil, nil
		tensors, err := json.Marshal(p.tensors)
		fmt.Fprintf(&text, "%s %+v %s %v", snapshot(p.pairs), c, tensors, err)
	}
	return text.String()
}
