package goldenfiles

import (
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/tensor"
)

// Summary describes a tensor's values. Min, Max, Mean and StdDev cover only the finite values; they
// are NaN if there are none. For a string tensor, only Elements is set.
type Summary struct {
	Elements int             `json:"elements"`
	NaN      int             `json:"nan"`
	PosInf   int             `json:"pos_inf"`
	NegInf   int             `json:"neg_inf"`
	Zeros    int             `json:"zeros"`
	Min      jsonfloat.Float `json:"min"`
	Max      jsonfloat.Float `json:"max"`
	Mean     jsonfloat.Float `json:"mean"`
	StdDev   jsonfloat.Float `json:"std_dev"` // of the population, like NumPy's std
	// Histogram has ten equal bins from Min to Max, and the last includes Max. It is nil if they are
	// equal.
	Histogram []int `json:"histogram,omitempty"`
}

// bins is the number of bins of a histogram.
const bins = 10

// Summarize returns a tensor's summary. It makes three passes over the values.
func Summarize(t *tensor.Tensor) Summary {
	census := compare.CensusOf(t)
	s := Summary{Elements: t.Len(), NaN: census.NaN, PosInf: census.PosInf, NegInf: census.NegInf}
	finite := s.Elements - census.Total()
	if finite == 0 || t.ElementType() == tensor.String {
		none := jsonfloat.Float(math.NaN())
		s.Min, s.Max, s.Mean, s.StdDev = none, none, none, none
		return s
	}
	least, most, sum := math.Inf(1), math.Inf(-1), 0.0
	for i := range t.Len() {
		v := t.Float64At(i)
		if v-v != 0 { // NaN or infinite
			continue
		}
		if v == 0 {
			s.Zeros++
		}
		least, most, sum = min(least, v), max(most, v), sum+v
	}
	mean, width, squares := sum/float64(finite), (most-least)/bins, 0.0
	if width > 0 && !math.IsInf(width, 0) {
		s.Histogram = make([]int, bins)
	}
	for i := range t.Len() {
		v := t.Float64At(i)
		if v-v != 0 {
			continue
		}
		squares += float64((v - mean) * (v - mean))
		if s.Histogram != nil {
			s.Histogram[min(bins-1, int((v-least)/width))]++
		}
	}
	s.Min, s.Max, s.Mean = jsonfloat.Float(least), jsonfloat.Float(most), jsonfloat.Float(mean)
	s.StdDev = jsonfloat.Float(math.Sqrt(squares / float64(finite)))
	return s
}

// String returns the range, the mean, the standard deviation, and the numbers of zeros, NaN and
// infinities as one line. It leaves out what the tensor does not have.
func (s Summary) String() string {
	var parts []string
	if !math.IsNaN(float64(s.Mean)) {
		parts = append(parts, fmt.Sprintf("min %.6g  max %.6g  mean %.6g  std %.6g",
			s.Min, s.Max, s.Mean, s.StdDev))
	}
	for _, c := range []struct {
		what string
		n    int
	}{{"zeros", s.Zeros}, {"NaN", s.NaN}, {"+Inf", s.PosInf}, {"-Inf", s.NegInf}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	return strings.Join(parts, "  ")
}

// barWidth is the length of the longest bar of a histogram, in characters.
const barWidth = 40

// Bars draws the histogram, one line per bin. It returns nil if there is no histogram.
func (s Summary) Bars() []string {
	most := 1
	for _, n := range s.Histogram {
		most = max(most, n)
	}
	width := float64(s.Max-s.Min) / float64(max(1, len(s.Histogram)))
	lines := make([]string, len(s.Histogram))
	for i, n := range s.Histogram {
		from := float64(s.Min) + float64(float64(i)*width)
		lines[i] = fmt.Sprintf("%12.5g … %-12.5g %9d %s", from, from+width, n,
			strings.Repeat("#", (n*barWidth+most-1)/most))
	}
	return lines
}
