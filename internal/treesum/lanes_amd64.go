//go:build !purego

package treesum

import (
	"encoding/binary"

	"golang.org/x/sys/cpu"
)

// wide says that sixteen leaves are summed at once. RATIONALE.md has the figure: servers without
// SHA instructions, of which there are many, sum one at an eighth of that speed.
var wide = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW

// compressAVX512 takes so many chunks of 64 bytes into each lane's state; lane i reads them from
// data + i*stride on. state[w][i] is word w of lane i.
//
//go:noescape
func compressAVX512(state *[8][lanes]uint32, data *byte, stride, chunks int)

// initial is what SHA-256 starts from.
var initial = [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
	0x1f83d9ab, 0x5be0cd19}

// padding ends every whole leaf: a bit, zeros, and the length in bits.
var padding = func() (chunk [64]byte) {
	chunk[0] = 0x80
	binary.BigEndian.PutUint64(chunk[56:], 8*Leaf)
	return chunk
}()

// leavesWide computes the sums of the first sixteen leaves of data, which must be whole.
func leavesWide(sums *[lanes]Sum, data []byte) {
	var state [8][lanes]uint32
	for w, word := range initial {
		for i := range state[w] {
			state[w][i] = word
		}
	}
	compressAVX512(&state, &data[:Group][0], Leaf, Leaf/64)
	compressAVX512(&state, &padding[0], 0, 1)
	for w := range state {
		for i, word := range state[w] {
			binary.BigEndian.PutUint32(sums[i][4*w:], word)
		}
	}
}
