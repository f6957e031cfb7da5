package pages

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// bars is a histogram drawn in a 240 × 60 picture.
type bars struct {
	Bars []bar
	Max  string
	Text string // alternative text
}

type bar struct{ X, Y, Width, Height float64 }

// barsOf returns a histogram of finite errors. The scale of counts is logarithmic, so that a single
// element is visible.
func barsOf(e compare.Errors) *bars {
	most := 0
	for _, n := range e.Histogram {
		most = max(most, n)
	}
	if most == 0 {
		return nil
	}
	greatest := figures.Short(e.Max)
	b := &bars{Max: greatest, Text: fmt.Sprintf("elements in %d equal bins from 0 to %s: %v",
		len(e.Histogram), greatest, e.Histogram)}
	width := 240 / float64(len(e.Histogram))
	for i, n := range e.Histogram {
		if n > 0 {
			height := 10 + 50*math.Log1p(float64(n-1))/math.Log1p(float64(max(most-1, 1)))
			b.Bars = append(b.Bars, bar{tenth(float64(i)*width + 1), tenth(60 - height), tenth(width - 2),
				tenth(height)})
		}
	}
	return b
}

// shownTensors is the maximum number of tensors shown for a divergence.
const shownTensors = 2000

func divergenceOf(f *locate.Finding) *divergence {
	d := &divergence{Finding: f, Left: len(f.Tensors) - shownTensors}
	f.Tensors = f.Tensors[:min(len(f.Tensors), shownTensors)]
	return d
}

// tenth rounds a coordinate to one decimal.
func tenth(v float64) float64 { return math.Round(10*v) / 10 }

// kinds returns the element type and shape of each side, or of one side if they are equal.
func kinds(o compare.Output) string {
	actual, expected := o.Kinds()
	switch {
	case expected == "" || actual == expected:
		return actual
	case actual == "":
		return expected
	}
	return actual + ", expected " + expected
}

func index(at []int) string { return tensor.Shape(at).String() }
