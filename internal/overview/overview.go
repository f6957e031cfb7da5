// Package overview computes the range, the sum and the number of non-finite values of many numbers
// in one pass. The sum depends only on the numbers and their order, not on the processor or on the
// number of cores.
package overview

import (
	"math"
	"unsafe"
)

// Part contains statistics of a sequence of numbers. Least, Greatest and Sum consider only finite
// numbers; if there are none, these three fields are +Inf, -Inf and 0.
type Part struct {
	Least, Greatest, Sum float64
	Finite, NaN, Inf     int
}

// lanes are partial sums: number i is added to lane i mod 16.
type lanes [16]float64

func (l *lanes) sum() float64 {
	var s [4]float64
	for i := range s {
		s[i] = (l[4*i] + l[4*i+1]) + (l[4*i+2] + l[4*i+3])
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// Integer is an integer type for which the sum of up to 2²⁰ numbers is exact.
type Integer interface {
	int8 | int16 | int32 | uint8 | uint16 | uint32
}

// Integers returns the statistics of up to 2²⁰ integers. The sum is exact.
func Integers[T Integer](values []T) Part {
	if len(values) == 0 {
		return nothing()
	}
	least, greatest, sum := values[0], values[0], int64(0)
	for _, v := range values {
		least, greatest = min(least, v), max(greatest, v)
		sum += int64(v)
	}
	return Part{Least: float64(least), Greatest: float64(greatest), Sum: float64(sum),
		Finite: len(values)}
}

func nothing() Part { return Part{Least: math.Inf(1), Greatest: math.Inf(-1)} }

// Number is a type that [Numbers] supports. Its values are converted to float64.
type Number interface {
	float32 | float64 | int64 | uint64
}

// Numbers returns the statistics of values. It adds number i to partial sum i mod 16, and finally
// adds up the partial sums in pairs.
func Numbers[T Number](values []T) Part {
	p, sums := nothing(), lanes{}
	for i, value := range values {
		v := float64(value)
		if v-v != 0 { // not finite
			if v != v {
				p.NaN++
			} else {
				p.Inf++
			}
			continue
		}
		sums[i%16] += v
		if v < p.Least {
			p.Least = v
		}
		if v > p.Greatest {
			p.Greatest = v
		}
	}
	p.Finite, p.Sum = len(values)-p.NaN-p.Inf, sums.sum()
	return p
}

// Halves is [Numbers] for IEEE binary16 numbers, given by their bits.
func Halves(values []uint16) Part { return widened(values, WidenHalves) }

// WidenHalves converts IEEE binary16 numbers, given by their bits, to float32. The conversion is
// exact.
func WidenHalves(wide []float32, values []uint16) {
	wide = wide[:len(values)]
	for i, h := range values {
		// As a float32, the shifted bits are the value times 2⁻¹¹², also for subnormals. Only infinities
		// and NaN need extra treatment.
		bits := uint32(h&0x7fff) << 13
		f := math.Float32frombits(bits) * 0x1p112
		if h&0x7c00 == 0x7c00 {
			f = math.Float32frombits(bits | 0x7f800000)
		}
		wide[i] = math.Float32frombits(math.Float32bits(f) | uint32(h&0x8000)<<16)
	}
}

// BFloat16s is like [Numbers], for bfloat16 values given by their bits.
func BFloat16s(values []uint16) Part { return widened(values, widenBFloat16s) }

func widenBFloat16s(wide []float32, values []uint16) {
	for i, b := range values {
		wide[i] = math.Float32frombits(uint32(b) << 16)
	}
}

// atOnce is the number of 16-bit floats that are converted together. The sums of the batches are
// added in order.
const atOnce = 2048

func widened(values []uint16, widen func(wide []float32, values []uint16)) Part {
	var buffer [atOnce]float32
	all := nothing()
	for len(values) > 0 {
		n := min(len(values), atOnce)
		widen(buffer[:n], values[:n])
		all = all.And(Numbers(buffer[:n]))
		values = values[n:]
	}
	return all
}

// And returns the statistics of a sequence that consists of p's numbers followed by q's numbers.
func (p Part) And(q Part) Part {
	if q.Least < p.Least {
		p.Least = q.Least
	}
	if q.Greatest > p.Greatest {
		p.Greatest = q.Greatest
	}
	p.Sum += q.Sum
	p.Finite, p.NaN, p.Inf = p.Finite+q.Finite, p.NaN+q.NaN, p.Inf+q.Inf
	return p
}

// View returns bytes as numbers without copying them. The address of data must be a multiple of the
// numbers' size.
func View[T Integer | Number](data []byte) []T {
	if len(data) == 0 {
		return nil
	}
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), len(data)/int(unsafe.Sizeof(one)))
}
