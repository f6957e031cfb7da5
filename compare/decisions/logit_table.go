package decisions

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
)

// LogitTable describes the distance between the distributions of two language models over the
// positions of a text. The numbers are defined as in llama.cpp's llama-perplexity --kl-divergence
// (tools/perplexity). With p the softmax of the expected logits, q the softmax of the actual
// logits, and t the token that follows,
//
//	KLD = Σ p·(ln p − ln q)    Δp = q(t) − p(t)    perplexity = exp(mean of −ln q(t))
//
// All numbers are computed in float64. An error is the standard error √((mean of squares − square
// of the mean) / (n − 1)), or NaN for ten positions or fewer. The q-quantile of n sorted values is
// at position q·(n − 1), interpolated linearly. Δp is a number from −1 to 1, whereas llama.cpp
// prints percent.
type LogitTable struct {
	// Positions is the number of compared positions: the divergence and the top token are computed
	// from them. Followed is the number of positions whose next token is known: Δp and perplexity are
	// computed from them.
	Positions int
	Followed  int

	klds, changes []float64 // sorted
	kld, change   Uncertain
	square        Uncertain
	surprise      [2]Uncertain // the mean of −ln q(t), for the actual and for the expected side
	covariance    float64
	same          Uncertain
	sliced        [len(sliceSizes)]float64
}

// Uncertain is a number with its standard error, which is NaN if unknown.
type Uncertain struct{ Value, Error float64 }

// LogitStatistic is one number of a [LogitTable]. Functions such as [MeanKLD] create it.
type LogitStatistic struct {
	name        string
	of          func(*LogitTable) Uncertain
	follows     bool    // whether the statistic needs the tokens that follow
	least, most float64 // the range of possible values
	wrong       error
}

// AtMost returns an upper limit for the statistic, to be put into the field Limits of [Logits].
func (s LogitStatistic) AtMost(limit float64) LogitLimit {
	return LogitLimit{Statistic: s, Limit: limit, AtMost: true}
}

// AtLeast returns a lower limit for the statistic, to be put into the field Limits of [Logits].
func (s LogitStatistic) AtLeast(limit float64) LogitLimit {
	return LogitLimit{Statistic: s, Limit: limit}
}

// String returns the statistic's name: "mean KLD".
func (s LogitStatistic) String() string { return s.name }

func exactly(v float64) Uncertain { return Uncertain{v, math.NaN()} }

// MeanKLD is the mean divergence over the positions, in nats.
func MeanKLD() LogitStatistic {
	return LogitStatistic{name: "mean KLD", least: 0, most: inf,
		of: func(t *LogitTable) Uncertain { return t.kld }}
}

// MedianKLD is the median divergence over the positions, in nats.
func MedianKLD() LogitStatistic { return KLD(0.5) }

// MaxKLD is the largest divergence at any position, in nats.
func MaxKLD() LogitStatistic { return KLD(1) }

// KLD is a quantile of the divergence: at the given fraction of the positions, the divergence does
// not exceed it. KLD(0.999) is thus close to the maximum.
func KLD(share float64) LogitStatistic {
	name := "KLD at " + figures.Percent(share)
	switch share {
	case 0.5:
		name = "median KLD"
	case 1:
		name = "maximum KLD"
	}
	return LogitStatistic{name: name, least: 0, most: inf, wrong: proportion(share),
		of: func(t *LogitTable) Uncertain { return exactly(quantile(t.klds, share)) }}
}

// MeanDeltaP is the mean change in the probability of the token that follows. It is negative if
// this probability is lower on the actual side, on average over the positions.
func MeanDeltaP() LogitStatistic {
	return LogitStatistic{name: "mean Δp", follows: true, least: -1, most: 1,
		of: func(t *LogitTable) Uncertain { return t.change }}
}

// RMSDeltaP is the root mean square of the change in the probability of the token that follows.
func RMSDeltaP() LogitStatistic {
	return LogitStatistic{name: "RMS Δp", follows: true, least: 0, most: 1,
		of: func(t *LogitTable) Uncertain {
			root := math.Sqrt(t.square.Value)
			return Uncertain{root, 0.5 / root * t.square.Error}
		}}
}

// DeltaP is a quantile of the change in the probability of the token that follows. DeltaP(0.5) is
// the median change. Losses are negative changes, so DeltaP(0.001) is close to the worst loss.
func DeltaP(share float64) LogitStatistic {
	return LogitStatistic{name: "Δp at " + figures.Percent(share), follows: true, least: -1, most: 1,
		wrong: proportion(share),
		of:    func(t *LogitTable) Uncertain { return exactly(quantile(t.changes, share)) }}
}

// SameTop is the fraction of the positions at which both sides have the same top token.
func SameTop() LogitStatistic {
	return LogitStatistic{name: "same top token", least: 0, most: 1,
		of: func(t *LogitTable) Uncertain { return t.same }}
}

// Perplexity is the perplexity of the text on the actual side.
func Perplexity() LogitStatistic { return perplexityOf("perplexity", 0) }

// ExpectedPerplexity is the perplexity of the text on the expected side.
func ExpectedPerplexity() LogitStatistic { return perplexityOf("expected perplexity", 1) }

func perplexityOf(name string, side int) LogitStatistic {
	return LogitStatistic{name: name, follows: true, least: 1, most: inf,
		of: func(t *LogitTable) Uncertain { return exponential(t.surprise[side]) }}
}

// PerplexityRatio is the actual perplexity divided by the expected perplexity.
func PerplexityRatio() LogitStatistic {
	return LogitStatistic{name: "perplexity ratio", follows: true, least: 0, most: inf,
		of: func(t *LogitTable) Uncertain { return exponential(t.logRatio()) }}
}

// PerplexityCorrelation is the correlation, over the positions, between the −ln p of the two sides.
// p is the probability of the token that follows.
func PerplexityCorrelation() LogitStatistic {
	return LogitStatistic{name: "perplexity correlation", follows: true, least: -1, most: 1,
		of: func(t *LogitTable) Uncertain {
			return exactly(t.covariance / (t.surprise[0].Error * t.surprise[1].Error))
		}}
}

// TopError is the error at the worst position. The error at a position is (max |actual − expected|
// − 1e-5) / max |expected| over the k largest expected logits. k is 5, 50 or 1000, or 0 for all
// logits. AWS's framework for Neuron allows 1.1 %, 2 %, 3 % and, for all logits, 5 %.
func TopError(k int) LogitStatistic {
	at := slices.Index(sliceSizes[:], k)
	s := LogitStatistic{name: fmt.Sprintf("error of the top %d logits", k), least: 0, most: inf,
		of: func(t *LogitTable) Uncertain { return exactly(t.sliced[at]) }}
	if k == 0 {
		s.name = "error of all logits"
	}
	if at < 0 {
		s.wrong = fmt.Errorf("logits: TopError(%d): want 5, 50, 1000, or 0 for all logits", k)
	}
	return s
}

func proportion(share float64) error {
	if !(share >= 0 && share <= 1) {
		return fmt.Errorf("logits: quantile %v: want a number from 0 to 1", share)
	}
	return nil
}

// exponential returns e to the power of the given number. It multiplies the number's standard error
// by the derivative, to get the result's standard error.
func exponential(of Uncertain) Uncertain {
	v := math.Exp(of.Value)
	return Uncertain{v, v * of.Error}
}

func (t *LogitTable) logRatio() Uncertain {
	a, e := t.surprise[0], t.surprise[1]
	return Uncertain{a.Value - e.Value,
		math.Sqrt(math.Max(squared(a.Error)+squared(e.Error)-float64(2*t.covariance), 0))}
}

// tableOf computes the table of the given positions. There must be at least one position. tableOf
// adds numbers in the order of the positions, so the sums do not depend on how many goroutines
// computed the positions.
func tableOf(all []position) *LogitTable {
	t := &LogitTable{Positions: len(all)}
	var kld, change, square, product sum
	var surprise [2]sum
	same := 0
	for _, p := range all {
		t.klds = append(t.klds, p.divergence)
		kld.add(p.divergence)
		same += one(p.actual == p.expected)
		for i, v := range p.slices {
			t.sliced[i] = math.Max(t.sliced[i], v)
		}
		if p.next < 0 {
			continue
		}
		t.Followed++
		t.changes = append(t.changes, p.probability)
		change.add(p.probability)
		square.add(p.probability * p.probability)
		surprise[0].add(p.surprise[0])
		surprise[1].add(p.surprise[1])
		product.add(p.surprise[0] * p.surprise[1])
	}
	slices.Sort(t.klds)
	slices.Sort(t.changes)
	t.kld, t.change, t.square = kld.mean(), change.mean(), square.mean()
	t.surprise = [2]Uncertain{surprise[0].mean(), surprise[1].mean()}
	t.covariance = math.NaN()
	if n := float64(t.Followed); t.Followed >= 10 {
		t.covariance = (product.sum/n - float64(surprise[0].sum/n*(surprise[1].sum/n))) / (n - 1)
	}
	share := float64(same) / float64(len(all))
	t.same = Uncertain{share, math.NaN()}
	if len(all) > 1 {
		t.same.Error = math.Sqrt(share * (1 - share) / float64(len(all)-1))
	}
	return t
}

// sum accumulates numbers and their squares, for a mean with its standard error.
type sum struct {
	sum, squares float64
	n            int
}

func (s *sum) add(v float64) {
	s.sum, s.squares, s.n = s.sum+float64(v), s.squares+squared(v), s.n+1
}

// squared returns v². The conversion to float64 forces rounding, so the multiplication is not fused
// with an addition on any processor.
func squared(v float64) float64 { return float64(v * v) }

// mean returns the mean with its standard error.
func (s *sum) mean() Uncertain {
	n := float64(s.n)
	mean := s.sum / n
	u := exactly(mean)
	if s.n > 10 {
		u.Error = math.Sqrt(math.Max(s.squares/n-float64(mean*mean), 0) / (n - 1))
	}
	return u
}

// quantile returns the quantile for the given fraction, interpolated between two of the sorted
// values.
func quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := float64(share * float64(len(sorted)-1))
	low := min(int(at), len(sorted)-1)
	rest := at - float64(low)
	if high := min(low+1, len(sorted)-1); rest > 0 && sorted[low] != sorted[high] {
		return float64((1-rest)*sorted[low]) + float64(rest*sorted[high])
	}
	return sorted[low]
}

// The quantiles that llama.cpp prints.
var (
	kldShares   = []float64{0.999, 0.99, 0.95, 0.9, 0.5, 0.1, 0.05, 0.01, 0.001, 0}
	deltaShares = []float64{1, 0.999, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001, 0}
)

// statistics lists the statistics that can be computed from the positions, in the order in which
// messages show them. Without known next tokens, it leaves out Δp and perplexity.
func (t *LogitTable) statistics() []LogitStatistic {
	list := []LogitStatistic{MeanKLD(), MaxKLD()}
	for _, share := range kldShares {
		list = append(list, KLD(share))
	}
	list = append(list, SameTop(), MeanDeltaP(), RMSDeltaP())
	for _, share := range deltaShares {
		list = append(list, DeltaP(share))
	}
	list = append(list, Perplexity(), ExpectedPerplexity(), PerplexityRatio(),
		PerplexityCorrelation())
	for _, k := range sliceSizes {
		list = append(list, TopError(k))
	}
	return slices.DeleteFunc(list, func(s LogitStatistic) bool {
		return s.follows && t.Followed == 0
	})
}

// Of returns one number of the table.
func (t *LogitTable) Of(s LogitStatistic) Uncertain { return s.of(t) }

// Text returns the table, with one statistic per line. It ends with a newline.
func (t *LogitTable) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d positions, %d with a known next token\n", t.Positions, t.Followed)
	for _, s := range t.statistics() {
		v := s.of(t)
		fmt.Fprintf(&b, "%v\n", Measure{Name: s.name, Value: v.Value, Error: v.Error,
			Limit: math.NaN()})
	}
	return b.String()
}
