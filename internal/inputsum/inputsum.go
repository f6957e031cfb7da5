// Package inputsum computes the checksum of a run's inputs. Runs can only be compared if these
// checksums are equal.
package inputsum

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Digest computes the checksum of a run's inputs: a SHA-256 over the tensors of every iteration,
// each tensor with its name, element type, shape and values. Within an iteration, tensors are
// sorted by name. The checksum does not depend on the file or generator from which the inputs come.
type Digest struct{ sum hash.Hash }

// New returns an empty digest.
func New() *Digest { return &Digest{sum: sha256.New()} }

// Add adds the inputs of one iteration.
func (d *Digest) Add(set *tensor.Set) {
	names := slices.Sorted(slices.Values(set.Names()))
	fmt.Fprintf(d.sum, "iteration of %d\n", len(names))
	for _, name := range names {
		t, _ := set.Get(name)
		fmt.Fprintf(d.sum, "%q %v %v\n", name, t.ElementType(), t.Shape())
		d.sum.Write(t.Bytes())
		Strings(d.sum, t.Strings())
	}
}

// Strings adds strings to a checksum, each preceded by its length, so that two different lists
// never add the same bytes.
func Strings(sum hash.Hash, list []string) {
	for _, s := range list {
		sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		sum.Write([]byte(s))
	}
}

// Sum returns the checksum of all iterations so far, in hexadecimal.
func (d *Digest) Sum() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// Of returns the checksum of a run's inputs, given as one set for each iteration.
func Of(sets []*tensor.Set) string {
	d := New()
	for _, set := range sets {
		d.Add(set)
	}
	return d.Sum()
}
