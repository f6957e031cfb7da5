package runfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"

	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/spill"
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
	Elements int      `json:"elements"` // number of sampled elements
	SHA256   string   `json:"sha256"`   // SHA-256 of the sampled elements
	Block    int      `json:"block"`    // elements per block; the last block may have fewer
	Blocks   []string `json:"blocks"`   // the first 16 digits of each block's SHA-256
}

// leastBlock is the minimum number of elements per block. mostBlocks is the maximum number of
// blocks.
const (
	leastBlock = 64 << 10
	mostBlocks = 256
)

// blockOf returns the number of elements per block for an output of n elements.
func blockOf(n int) int {
	block := leastBlock
	for (n+block-1)/block > mostBlocks {
		block *= 2
	}
	return block
}

// SampleOf returns a sample of n elements of t, which must have more than n elements.
func SampleOf(t *tensor.Tensor, n int) (*sample, error) {
	s := &sample{Elements: n, Block: blockOf(t.Len())}
	taken, err := s.Take(t)
	if err != nil {
		return nil, err
	}
	s.SHA256, s.Blocks = checksum(taken), s.blocksOf(t)
	return s, nil
}

// sound returns an error for a sample that modelparity cannot have written.
func (s *sample) sound(o Output) error {
	n, err := o.Shape.Elements()
	switch {
	case err != nil:
		return err
	case s.Elements < 1 || s.Elements >= n:
		return fmt.Errorf("a sample has %d elements, expected at least 1 and fewer than the output's %d",
			s.Elements, n)
	case !IsSum(s.SHA256):
		return fmt.Errorf("%q is not a checksum", s.SHA256)
	case s.Block != blockOf(n) || len(s.Blocks) != (n+s.Block-1)/s.Block:
		return fmt.Errorf("the sample has %d checksums of blocks of %d elements, expected %d of %d",
			len(s.Blocks), s.Block, (n+blockOf(n)-1)/blockOf(n), blockOf(n))
	}
	return nil
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
		data = append(data, spill.Part(t, at, at+width)...)
	}
	return tensor.FromBytes(elem, shape, data)
}

// Same returns the number of blocks in which t has exactly the same bits as the output from which
// the sample was taken.
func (s *sample) Same(t *tensor.Tensor) (same int) {
	for i, sum := range s.blocksOf(t) {
		if sum == s.Blocks[i] {
			same++
		}
	}
	return same
}

// blocksOf returns the checksums of t's blocks.
func (s *sample) blocksOf(t *tensor.Tensor) (sums []string) {
	n, width := t.Len(), t.ElementType().Bits()/8
	for from := 0; from < n; from += s.Block {
		to := min(from+s.Block, n)
		hash := sha256.New()
		if t.ElementType() == tensor.String {
			inputsum.Strings(hash, t.Strings()[from:to])
		} else {
			hash.Write(spill.Part(t, from*width, to*width))
		}
		sums = append(sums, hex.EncodeToString(hash.Sum(nil)[:8]))
	}
	return sums
}
