package decisions_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

func drawMask(r *rand.Rand) duel {
	rule := decisions.Mask{From: of(r, decisions.FromClasses, decisions.FromScores,
		decisions.FromThreshold), Axis: -1, Threshold: 0.5, Boundary: of(r, 0, 0, 1, 9),
		Agreement: of(r, 0, 0, 0.3, 0.9, 1), MeanIoU: of(r, 0, 0, 0.2, 1)}
	shape := of(r, tensor.Shape{1, 2, 3}, tensor.Shape{1, 1, 1}, tensor.Shape{2, 3, 1},
		tensor.Shape{3, 5, 5}, tensor.Shape{0, 2, 2})
	d := duel{dead: []float64{0, 1, 2, 3, math.NaN()}}
	var y *tensor.Tensor
	switch rule.From {
	case decisions.FromClasses:
		y = drawn(r, of(r, tensor.Int8, tensor.Uint8, tensor.Bool, tensor.Int64, tensor.Uint64), shape)
	case decisions.FromScores:
		rule.Margin = margin(r)
		y = drawn(r, of(r, elements...), append(slices.Clone(shape), of(r, 1, 2, 4)))
	default:
		rule.Margin = margin(r)
		y = drawn(r, of(r, elements...), shape)
	}
	d.rule, d.expected = rule, []*tensor.Set{set("y", y)}
	switch {
	case y.Len() == 0:
	case rule.From == decisions.FromScores:
		d.wrong = each(d.expected, reversed)
	case rule.From == decisions.FromThreshold && y.ElementType() == tensor.Float64:
		d.wrong = each(d.expected, func(t *tensor.Tensor) *tensor.Tensor {
			mirrored := t.Float64s()
			for i := range mirrored {
				mirrored[i] = 1 - mirrored[i]
			}
			return shaped(t.Shape(), mirrored...)
		})
	case rule.From == decisions.FromClasses && y.ElementType() == tensor.Uint8:
		d.wrong = each(d.expected, func(t *tensor.Tensor) *tensor.Tensor {
			classes, err := tensor.Values[uint8](t)
			Expect(err).NotTo(HaveOccurred())
			next := slices.Clone(classes)
			for i := range next {
				next[i] += 50
			}
			return shaped(t.Shape(), next...)
		})
	}
	return d
}

func drawTokens(r *rand.Rand) duel {
	rows, length, words := 1+r.IntN(3), 1+r.IntN(4), 1+r.IntN(5)
	shape := tensor.Shape{rows, length}
	d := duel{dead: []float64{99}}
	if r.IntN(2) == 0 {
		d.rule = decisions.Tokens{Ends: of(r, nil, []int{2})}
		y := drawn(r, of(r, tensor.Int8, tensor.Uint8, tensor.Int64, tensor.Uint64), shape)
		if d.expected = []*tensor.Set{set("y", y)}; d.rule.(decisions.Tokens).Ends == nil &&
			y.Len() > 1 { // a single token repeats nothing
			d.dead = append(d.dead, y.Float64s()...)
		}
		d.wrong = constants(d.expected, 99)[0]
		return d
	}
	rule := decisions.Tokens{Margin: margin(r), Top: r.IntN(4), Flips: of(r, 0, 0, 0.5)}
	logits := drawn(r, of(r, elements...), tensor.Shape{rows, length, words})
	values := logits.Float64s()
	greedy, wrong := make([]int64, rows*length), make([]int64, rows*length)
	for row := range rows {
		decisive := false
		for i := row * length; i < (row+1)*length; i++ {
			of := values[i*words : (i+1)*words]
			last := 0 // the token that ranks last
			for k, v := range of {
				if v <= of[last] {
					last = k
				}
			}
			greedy[i] = int64(max(0, slices.Index(of, slices.Max(of))))
			wrong[i] = greedy[i]
			if decisive = decisive || of[greedy[i]]-of[last] > rule.Margin; decisive {
				wrong[i] = int64(last)
			}
		}
	}
	d.rule = rule
	d.expected = []*tensor.Set{set("tokens", shaped(shape, greedy...), "logits", logits)}
	d.wrong = []*tensor.Set{set("tokens", shaped(shape, wrong...), "logits", logits)}
	return d
}

func drawLogits(r *rand.Rand) duel {
	sequences, length, words := 1+r.IntN(2), 1+r.IntN(14), of(r, 1, 2, 5)
	logits := drawn(r, of(r, elements...), tensor.Shape{sequences, length, words})
	tokens := filled(tensor.Shape{sequences, length + 1},
		func() int64 { return r.Int64N(int64(words)) })
	d := duel{dead: []float64{0, 1, math.NaN()}}
	rule := decisions.Logits{Margin: margin(r), Tail: of(r, 0, 0, 16.)}
	if r.IntN(3) > 0 {
		limits := decisions.Limits{decisions.MeanKLD().AtMost(of(r, 0, 1.)),
			decisions.KLD(0.5).AtMost(0.1), decisions.SameTop().AtLeast(of(r, 0.1, 1)),
			decisions.MeanDeltaP().AtLeast(of(r, -0.5, -0.01)), decisions.RMSDeltaP().AtMost(0.3),
			decisions.Perplexity().AtMost(of(r, 3., 1e6)), decisions.PerplexityRatio().AtMost(1.1),
			decisions.ExpectedPerplexity().AtMost(1e9),
			decisions.PerplexityCorrelation().AtLeast(0.5), decisions.TopError(0).AtMost(0.1),
			decisions.MeanKLD().AtLeast(0.5)}
		r.Shuffle(len(limits), func(i, j int) { limits[i], limits[j] = limits[j], limits[i] })
		rule.Limits = limits[:1+r.IntN(2)]
	} else {
		rule.Flips = of(r, 0, 0, 0.5)
		d.wrong = []*tensor.Set{set("logits", reversed(logits), "tokens", tokens)}
	}
	d.rule, d.expected = rule, []*tensor.Set{set("logits", logits, "tokens", tokens)}
	return d
}

func drawText(r *rand.Rand) duel {
	n := r.IntN(4)
	texts, others := make([]string, n), make([]string, n)
	for i := range texts {
		texts[i] = of(r, "", "a", "größe", "\xff", "same text")
		others[i] = strings.Repeat("#", max(1, len(texts[i])))
	}
	side := func(texts []string) []*tensor.Set {
		t, err := tensor.FromStrings(tensor.Shape{n}, texts)
		Expect(err).NotTo(HaveOccurred())
		return []*tensor.Set{set("y", t)}
	}
	d := duel{rule: decisions.Text{Errors: of(r, 0, 0.5, 0.99)}, expected: side(texts),
		dead: []float64{0}, axis: -1}
	if n > 0 {
		d.wrong = side(others)
	}
	return d
}

var boxes = decisions.Layout{Packed: "y", Columns: "x0 y0 x1 y1 score class"}

func drawDetections(r *rand.Rand, rule decisions.Rule) duel {
	images, n := 1+r.IntN(2), r.IntN(7)
	elem := of(r, tensor.Float64, tensor.Float64, tensor.Int64)
	big := of(r, 1., 1., 1e200)
	var values []float64
	for range images * n {
		x, y := float64(r.IntN(4)), float64(r.IntN(4))
		values = append(values, big*x, big*y, big*(x+float64(r.IntN(4))), big*(y+float64(r.IntN(4))),
			of(r, 0.1, 0.4, 0.5, 0.5, 0.6, 0.9, 0.9), float64(of(r, -1, 0, 1, 1<<40)))
	}
	if len(values) > 0 && r.IntN(20) == 0 {
		values[4] = of(r, math.NaN(), math.Inf(1))
	}
	shape := tensor.Shape{images, n, 6}
	moved := slices.Clone(values)
	whole := make([]int64, len(values))
	for i, v := range values {
		if whole[i] = int64(r.IntN(9)); i%6 == 0 || i%6 == 2 {
			moved[i] = v + 1e3*big
		}
	}
	d := duel{rule: rule, dead: []float64{0, 1, 9, math.NaN()}, axis: 1, apart: true}
	if elem == tensor.Int64 {
		d.expected = []*tensor.Set{set("y", shaped(shape, whole...))}
		return d
	}
	d.expected = []*tensor.Set{set("y", shaped(shape, values...))}
	d.wrong = []*tensor.Set{set("y", shaped(shape, moved...))}
	return d
}

func drawAccuracyLoss(r *rand.Rand) duel {
	n, words := of(r, 0, 1, 2, 20, 60), 1+r.IntN(4)
	y := drawn(r, of(r, elements...), tensor.Shape{n, words})
	values := y.Float64s()
	rule := decisions.AccuracyLoss{K: r.IntN(3), Most: of(r, 0, 0.1, 0.5, 0.9), Labels: make([]int, n)}
	last := make([]float64, len(values))
	for i := range n {
		row := values[i*words : (i+1)*words]
		if rule.Labels[i] = max(0, slices.Index(row, slices.Max(row))); r.IntN(5) == 0 {
			rule.Labels[i] = r.IntN(words)
		}
		for k := range words {
			last[i*words+k] = float64(words - k)
		}
		last[i*words+rule.Labels[i]] = -1
	}
	d := duel{rule: rule, expected: []*tensor.Set{set("y", y)}, dead: []float64{0, 1, math.NaN()}}
	if n > 0 {
		d.wrong = []*tensor.Set{set("y", shaped(y.Shape(), last...))}
	}
	d.labels = func(order []int) decisions.Rule {
		moved := rule
		moved.Labels = nil
		for _, from := range order {
			moved.Labels = append(moved.Labels, rule.Labels[from])
		}
		return moved
	}
	return d
}

func drawPrecisionLoss(r *rand.Rand) duel {
	d := drawDetections(r, nil)
	y, _ := d.expected[0].Get("y")
	rule := decisions.AveragePrecisionLoss{Layout: boxes, Most: of(r, 0, 0.2, 0.9)}
	n := y.Shape()[1]
	for image := range y.Shape()[0] {
		var truth []decisions.Truth
		for i := range n {
			row := y.Float64s()[(image*n+i)*6:]
			if row[4] > 0.4 || r.IntN(4) == 0 {
				truth = append(truth, decisions.Truth{Box: decisions.Box(row[:4]), Class: int(row[5])})
			}
		}
		rule.Truth = append(rule.Truth, truth)
	}
	d.rule = rule
	return d
}
