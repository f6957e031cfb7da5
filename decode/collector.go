package decode

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// collector stores the logits of every token or, with [TopK] or [Statistics], only the largest
// logits or the statistics.
type collector struct {
	settings *settings
	mask     *batch // the tokens and their mask
	rows     int    // number of sequences
	total    int    // number of tokens per sequence
	words    int    // size of the vocabulary

	elem   tensor.ElementType
	whole  []byte    // all logits, unless TopK or Statistics is set
	values []float32 // the k largest logits per token
	tokens []int64
	stats  [5][]float32
}

// statistics lists the suffixes of the outputs of [Statistics], in the order of [statisticsOf].
var statistics = [5]string{"max", "mean", "deviation", "entropy", "logprob"}

// start allocates the buffers for the vocabulary and element type of the first logits.
func (k *collector) start(logits *tensor.Tensor) error {
	k.words, k.elem = logits.Shape()[2], logits.ElementType()
	cells := k.rows * k.total
	if k.settings.TopK > k.words {
		return fmt.Errorf("TopK(%d) exceeds the vocabulary of %d tokens", k.settings.TopK, k.words)
	}
	if k.settings.TopK > 0 {
		k.values = make([]float32, cells*k.settings.TopK)
		k.tokens = make([]int64, cells*k.settings.TopK)
	}
	if k.settings.Statistics {
		for i := range k.stats {
			k.stats[i] = make([]float32, cells)
		}
	}
	if k.settings.TopK == 0 && !k.settings.Statistics {
		if k.elem.Bits()%8 != 0 {
			return fmt.Errorf("logits of type %v cannot be stored: use decode.TopK (--top-k) or "+
				"decode.Statistics", k.elem)
		}
		k.whole = make([]byte, cells*k.words*k.elem.Bits()/8)
	}
	return nil
}

// add stores the logits of a step. pos is the position of the step's first token.
func (k *collector) add(logits *tensor.Tensor, pos int) error {
	if k.words == 0 {
		if err := k.start(logits); err != nil {
			return err
		}
	}
	if logits.Shape()[2] != k.words || logits.ElementType() != k.elem {
		return fmt.Errorf("the logits are %v%v, but in earlier steps they were %v with a vocabulary "+
			"of %d", logits.ElementType(), logits.Shape(), k.elem, k.words)
	}
	n := logits.Shape()[1]
	for r := range k.rows {
		for i := range n {
			if k.mask.mask[r][pos+i] == 0 {
				continue
			}
			k.one(logits, r*n+i, r*k.total+pos+i, k.next(r, pos+i))
		}
	}
	return nil
}

// next returns the token after the given position in a sequence, or -1 if the sequence ends there.
func (k *collector) next(row, at int) int64 {
	if at+1 < min(k.total, len(k.mask.ids[row])) {
		return k.mask.ids[row][at+1]
	}
	return -1
}

// one stores the results for one token. from is the token's index in the step's logits, and to is
// its index in the whole run. next is the id of the following token, or -1 at the end of the
// sequence.
func (k *collector) one(logits *tensor.Tensor, from, to int, next int64) {
	if k.whole != nil {
		size := k.words * k.elem.Bits() / 8
		copy(k.whole[to*size:(to+1)*size], logits.Bytes()[from*size:(from+1)*size])
		return
	}
	row := make([]float64, k.words)
	for i := range row {
		row[i] = logits.Float64At(from*k.words + i)
	}
	if n := k.settings.TopK; n > 0 {
		for i, token := range largest(row, n) {
			k.values[to*n+i], k.tokens[to*n+i] = float32(row[token]), int64(token)
		}
	}
	if k.settings.Statistics {
		for i, v := range statisticsOf(row, next) {
			k.stats[i][to] = float32(v)
		}
	}
}

// largest returns the indices of the n largest values, in descending order of the values, with NaN
// last.
func largest(row []float64, n int) []int {
	places := make([]int, len(row))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(row[b], row[a]) })
	return places[:n]
}

// statisticsOf returns the [statistics] of one token from its logits. next is the id of the
// following token, or -1 at the end of the sequence.
func statisticsOf(row []float64, next int64) [5]float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range row {
		top, sum = math.Max(top, v), sum+v
	}
	mean, n := sum/float64(len(row)), float64(len(row))
	var squares, total, weighted float64
	for _, v := range row {
		squares += float64((v - mean) * (v - mean))
		e := math.Exp(v - top)
		total += e
		if e > 0 {
			weighted += float64(e * (v - top))
		}
	}
	log := math.Log(total)
	logprob := 0.0
	if next >= 0 {
		logprob = math.NaN()
		if next < int64(len(row)) {
			logprob = row[next] - top - log
		}
	}
	return [5]float64{top, mean, math.Sqrt(squares / n), log - weighted/total, logprob}
}

// outputs returns the collected values as output tensors.
func (k *collector) outputs(logits string) (entries []tensor.Entry, err error) {
	add := func(name string, t *tensor.Tensor, wrong error) {
		entries, err = append(entries, tensor.Entry{Name: name, Tensor: t}), cmp.Or(err, wrong)
	}
	if k.whole != nil {
		t, err := tensor.FromBytes(k.elem, tensor.Shape{k.rows, k.total, k.words}, k.whole)
		add(logits, t, err)
	}
	if n := k.settings.TopK; n > 0 {
		shape := tensor.Shape{k.rows, k.total, n}
		t, err := tensor.New(shape, k.values)
		add(logits+".top_values", t, err)
		u, err := tensor.New(shape, k.tokens)
		add(logits+".top_tokens", u, err)
	}
	for i, name := range statistics {
		if k.settings.Statistics {
			t, err := tensor.New(tensor.Shape{k.rows, k.total}, k.stats[i])
			add(logits+"."+name, t, err)
		}
	}
	return entries, err
}
