package compare_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// patterns are the values that ml_dtypes and NumPy give to every bit pattern of a type, or their
// hash; testdata/patterns.py wrote them.
func patterns() map[string]struct{ Values, SHA256 string } {
	file, err := os.Open(filepath.Join("testdata", "patterns.json.gz"))
	must(err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	must(err)
	var all map[string]struct{ Values, SHA256 string }
	must(json.NewDecoder(unpacked).Decode(&all))
	return all
}

// everyPattern is a tensor of all bit patterns of a type up to 16 bits, in order.
func everyPattern(elem tensor.ElementType) *tensor.Tensor {
	n := 1 << elem.Bits()
	var data []byte
	for i := range n {
		switch elem.Bits() {
		case 2:
			if i == 0 {
				data = append(data, 0b11_10_01_00)
			}
		case 4:
			if i%2 == 0 {
				data = append(data, byte(i|(i+1)<<4))
			}
		case 8:
			data = append(data, byte(i))
		case 16:
			data = append(data, byte(i), byte(i>>8))
		}
	}
	t, err := tensor.FromBytes(elem, tensor.Shape{n}, data)
	must(err)
	return t
}

var _ = Describe("every bit pattern of the narrow types", func() {
	for name, want := range patterns() {
		It("has the value that ml_dtypes and NumPy give it: "+name, func() {
			elem, err := tensor.ParseElementType(name)
			Expect(err).NotTo(HaveOccurred())
			all := everyPattern(elem)
			values := make([]float64, all.Len())
			for i := range values {
				values[i] = all.Float64At(i)
			}
			if want.SHA256 != "" {
				Expect(hashOf(values)).To(Equal(want.SHA256))
			}
			for i := range len(want.Values) / 16 {
				bits, err := strconv.ParseUint(want.Values[16*i:16*i+16], 16, 64)
				Expect(err).NotTo(HaveOccurred())
				Expect(canonical(values[i])).To(Equal(bits), "pattern %#x is %v, want %v", i, values[i],
					math.Float64frombits(bits))
			}

			// The comparison converts by loops of its own: they must see the same values.
			o := compare.Options{AnyElementType: true, NaNEqual: true, InfinitiesEqual: true,
				Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}}
			for _, other := range []*tensor.Tensor{tensor.Of(values...), float32sOf(values)} {
				for _, pair := range [][2]*tensor.Tensor{{all, other}, {other, all}, {all, all}} {
					out, err := compare.Tensors(pair[0], pair[1], o)
					Expect(err).NotTo(HaveOccurred())
					Expect(out.Verdict).To(Equal(compare.Pass), "%v", out)
				}
			}
			values[3]++
			out, err := compare.Tensors(all, tensor.Of(values...), o)
			Expect(err).NotTo(HaveOccurred())
			Expect(out.Results[0].Mismatches).To(Equal(1))
		})
	}
})

func float32sOf(values []float64) *tensor.Tensor {
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	return tensor.Of(narrow...)
}

// canonical is v's bits, with one pattern for all NaN.
func canonical(v float64) uint64 {
	if math.IsNaN(v) {
		return 0x7ff8000000000000
	}
	return math.Float64bits(v)
}

func hashOf(values []float64) string {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, canonical(v))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
