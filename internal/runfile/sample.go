package runfile

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/modelparity/modelparity/tensor"
)

// sample says which elements of an output a file contains. The selection depends only on the number
// of elements, so that a sample of any run has the same elements. The output is split into as many
// parts as the sample has elements. From part k, counted from 0, the sample takes the element at
// index
//
//	splitmix64(k+1) mod the part's length
//
// within the part. The sample therefore covers every region, and no axis is sampled at regular
// intervals.
type sample struct {
	Elements int    `json:"elements"` // number of sampled elements
	SHA256   string `json:"sha256"`   // SHA-256 of the sampled elements
}

// SampleOf returns a sample of n elements of t, which must have more than n elements.
func SampleOf(t *tensor.Tensor, n int) (*sample, error) {
	s := &sample{Elements: n}
	taken, err := s.Take(t)
	if err != nil {
		return nil, err
	}
	s.SHA256 = checksum(taken)
	return s, nil
}

// sound returns an error for a sample that modelparity cannot have written.
func (s *sample) sound(of tensor.Shape) error {
	if s == nil {
		return nil
	}
	n, err := of.Elements()
	if err == nil && (s.Elements < 1 || s.Elements >= n) {
		err = fmt.Errorf("a sample cannot have %d of %d elements", s.Elements, n)
	}
	return err
}

// holds returns an error if t, the data in a file, differs from the sample in type, size or
// checksum.
func (s *sample) holds(o Output, t *tensor.Tensor) error {
	if o.Type != t.ElementType() || !t.Shape().Equal(tensor.Shape{s.Elements}) {
		return fmt.Errorf("output %q: the file header says %v[%d], but the data is %v%v",
			o.Name, o.Type, s.Elements, t.ElementType(), t.Shape())
	}
	if sum := checksum(t); sum != s.SHA256 {
		return fmt.Errorf("output %q: the sample's sha256 is %s, but the file header says %s: "+
			"the file was damaged, or edited by hand", o.Name, sum, s.SHA256)
	}
	return nil
}

// index returns the position, among an output's n elements, of the sample's element k.
func (s *sample) index(k, n int) int {
	from, to := part(k, s.Elements, n), part(k+1, s.Elements, n)
	return from + int(splitmix64(uint64(k+1))%uint64(to-from))
}

// part returns the first index of part k if n elements are split into the given number of parts:
// ⌊k·n/parts⌋, computed without overflow.
func part(k, parts, n int) int {
	high, low := bits.Mul64(uint64(k), uint64(n))
	at, _ := bits.Div64(high, low, uint64(parts)) // k ≤ parts, so the quotient fits
	return int(at)
}

// splitmix64 returns the first output of Vigna's SplitMix64 generator with the given seed.
func splitmix64(state uint64) uint64 {
	z := state * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Take returns the sampled elements as a one-dimensional tensor.
func (s *sample) Take(t *tensor.Tensor) (*tensor.Tensor, error) {
	elem, n := t.ElementType(), t.Len()
	shape := tensor.Shape{s.Elements}
	if elem == tensor.String {
		values := make([]string, s.Elements)
		for k := range values {
			values[k] = t.Strings()[s.index(k, n)]
		}
		return tensor.FromStrings(shape, values)
	}
	if elem.Bits() < 8 {
		return nil, errors.New("types narrower than a byte cannot be sampled: keep all elements")
	}
	width := elem.Bits() / 8
	data := make([]byte, 0, s.Elements*width)
	for k := range s.Elements {
		at := s.index(k, n) * width
		data = append(data, t.Bytes()[at:at+width]...)
	}
	return tensor.FromBytes(elem, shape, data)
}
