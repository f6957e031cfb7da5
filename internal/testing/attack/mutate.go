//go:build linux || darwin

package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
)

// mutate damages a file. It usually makes a small change, so that a reader processes much of the
// file before it notices.
func mutate(r *rand.Rand, data []byte, others [][]byte) []byte {
	data = slices.Clone(data)
	for range max(1, r.IntN(6)-2) { // usually once
		if len(data) == 0 {
			return data
		}
		kinds := mutations
		if r.IntN(2) == 0 {
			kinds = kinds[:sameLength]
		}
		data = kinds[r.IntN(len(kinds))](r, data, others)
	}
	return data
}

// interesting lists numbers at or near which sizes and offsets overflow.
var interesting = []int64{0, 1, -1, 2, 127, 128, 255, 256, 65535, 65536, math.MaxInt32,
	math.MinInt32, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, math.MinInt64, 1 << 40,
	1 << 30, 1 << 20}

// sameLength is the number of mutations, at the start of the list, that preserve the file's length.
const sameLength = 4

var mutations = []func(r *rand.Rand, data []byte, others [][]byte) []byte{
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // flip a bit
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		return data
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // change a byte
		data[r.IntN(len(data))] = byte(r.Uint32())
		return data
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // overwrite with an interesting number
		var number [8]byte
		binary.LittleEndian.PutUint64(number[:], uint64(interesting[r.IntN(len(interesting))]))
		copy(data[r.IntN(len(data)):], number[:1<<r.IntN(4)])
		return data
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // exchange two parts
		i, j := span(r, len(data))
		k := r.IntN(len(data))
		n := min(j-i, len(data)-k)
		part := slices.Clone(data[i : i+n])
		copy(data[i:], data[k:k+n])
		copy(data[k:], part)
		return data
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // cut off the end
		return data[:r.IntN(len(data))]
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // leave out a part
		i, j := span(r, len(data))
		return slices.Delete(data, i, j)
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // repeat a part
		i, j := span(r, len(data))
		return slices.Insert(data, i, bytes.Repeat(data[i:j], 1+r.IntN(4))...)
	},
	func(r *rand.Rand, data []byte, others [][]byte) []byte { // insert a part of another file
		other := others[r.IntN(len(others))]
		if len(other) == 0 {
			return data
		}
		i, j := span(r, len(other))
		at := r.IntN(len(data))
		return slices.Insert(data, at, other[i:j]...)
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // overwrite with a varint, as in protobuf
		number := binary.AppendUvarint(nil, uint64(interesting[r.IntN(len(interesting))]))
		at := r.IntN(len(data))
		return slices.Replace(data, at, min(len(data), at+1+r.IntN(3)), number...)
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // replace a number in text
		found := digits.FindAllIndex(data, 1000)
		if found == nil {
			return data
		}
		at := found[r.IntN(len(found))]
		number := strconv.FormatInt(interesting[r.IntN(len(interesting))], 10)
		if r.IntN(4) == 0 {
			number = []string{"1e400", "-0", "NaN", "1.5", "null", `""`, "[]"}[r.IntN(7)]
		}
		return slices.Replace(data, at[0], at[1], []byte(number)...)
	},
	func(r *rand.Rand, data []byte, _ [][]byte) []byte { // nest deeply
		i, j := span(r, len(data))
		return slices.Insert(data, r.IntN(len(data)), bytes.Repeat(data[i:min(j, i+2)], 1000)...)
	},
}

var digits = regexp.MustCompile(`[0-9]+`)

// span returns a random, usually short, range within n bytes.
func span(r *rand.Rand, n int) (from, to int) {
	from = r.IntN(n)
	length := 1 + r.IntN(min(n-from, 1<<(1+r.IntN(12))))
	return from, from + length
}
