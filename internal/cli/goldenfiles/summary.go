package goldenfiles

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/tensor"
)

// Summary describes a tensor's values. Min, Max, Mean and StdDev cover only the finite values; they
// are NaN if there are none. For a string tensor, only Elements is set.
type Summary struct {
	Elements  int
	NaN       int
	PosInf    int
	NegInf    int
	Zeros     int
	Min, Max  float64
	Mean      float64 // computed in float64
	StdDev    float64 // of the population, like NumPy's std
	Histogram []int   // ten equal bins from Min to Max, the last includes Max; nil if Min equals Max
}

// bins is the number of bins of a histogram.
const bins = 10

// Summarize returns a tensor's summary. It makes two passes over the values.
func Summarize(t *tensor.Tensor) Summary {
	s := Summary{Elements: t.Len(), Min: math.Inf(1), Max: math.Inf(-1)}
	finite := 0
	if t.ElementType() != tensor.String {
		finite = s.count(t)
	}
	if finite == 0 {
		s.Min, s.Max, s.Mean, s.StdDev = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		return s
	}
	s.spread(t, finite)
	return s
}

// count makes the first pass: it computes the counts, the range and the mean. It returns the number
// of finite values.
func (s *Summary) count(t *tensor.Tensor) (finite int) {
	var sum, correction float64 // for Neumaier's compensated summation
	for i := range t.Len() {
		v := t.Float64At(i)
		switch {
		case math.IsNaN(v):
			s.NaN++
			continue
		case math.IsInf(v, 1):
			s.PosInf++
			continue
		case math.IsInf(v, -1):
			s.NegInf++
			continue
		case v == 0:
			s.Zeros++
		}
		finite++
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
		next := sum + v
		if math.Abs(sum) >= math.Abs(v) {
			correction += sum - next + v
		} else {
			correction += v - next + sum
		}
		sum = next
	}
	s.Mean = (sum + correction) / float64(finite)
	return finite
}

// spread makes the second pass: it computes the standard deviation and the histogram.
func (s *Summary) spread(t *tensor.Tensor, finite int) {
	width := (s.Max - s.Min) / bins
	if width > 0 && !math.IsInf(width, 0) {
		s.Histogram = make([]int, bins)
	}
	var squares float64
	for i := range t.Len() {
		v := t.Float64At(i)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		squares += float64((v - s.Mean) * (v - s.Mean))
		if s.Histogram != nil {
			s.Histogram[min(bins-1, int((v-s.Min)/width))]++
		}
	}
	s.StdDev = math.Sqrt(squares / float64(finite))
}

// String returns the range, the mean, the standard deviation, and the numbers of zeros, NaN and
// infinities as one line.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "min %.6g  max %.6g  mean %.6g  std %.6g", s.Min, s.Max, s.Mean, s.StdDev)
	for _, c := range []struct {
		what string
		n    int
	}{{"zeros", s.Zeros}, {"NaN", s.NaN}, {"+Inf", s.PosInf}, {"-Inf", s.NegInf}} {
		if c.n > 0 {
			fmt.Fprintf(&b, "  %s %d", c.what, c.n)
		}
	}
	return b.String()
}

// barWidth is the length of the longest bar of a histogram, in characters.
const barWidth = 40

// Bars draws the histogram, one line per bin. It returns nil if there is no histogram.
func (s Summary) Bars() []string {
	most := 1
	for _, n := range s.Histogram {
		most = max(most, n)
	}
	width := (s.Max - s.Min) / float64(max(1, len(s.Histogram)))
	lines := make([]string, len(s.Histogram))
	for i, n := range s.Histogram {
		from := s.Min + float64(float64(i)*width)
		lines[i] = fmt.Sprintf("%12.5g … %-12.5g %9d %s", from, from+width, n,
			strings.Repeat("#", (n*barWidth+most-1)/most))
	}
	return lines
}

// MarshalJSON encodes the summary. Numbers that are not finite become strings such as "NaN".
func (s Summary) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Elements  int             `json:"elements"`
		NaN       int             `json:"nan"`
		PosInf    int             `json:"pos_inf"`
		NegInf    int             `json:"neg_inf"`
		Zeros     int             `json:"zeros"`
		Min       jsonfloat.Float `json:"min"`
		Max       jsonfloat.Float `json:"max"`
		Mean      jsonfloat.Float `json:"mean"`
		StdDev    jsonfloat.Float `json:"std_dev"`
		Histogram []int           `json:"histogram,omitempty"`
	}{s.Elements, s.NaN, s.PosInf, s.NegInf, s.Zeros, jsonfloat.Float(s.Min), jsonfloat.Float(s.Max),
		jsonfloat.Float(s.Mean), jsonfloat.Float(s.StdDev), s.Histogram})
}
