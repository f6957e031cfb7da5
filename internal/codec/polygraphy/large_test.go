package polygraphy_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/internal/testing/peak"
	"github.com/modelparity/modelparity/tensor"
)

// zeros gives so many bytes of zeros in base64.
type zeros int

func (z *zeros) Read(p []byte) (int, error) {
	n := min(len(p), int(*z)/3*4)
	for i := range n {
		p[i] = 'A'
	}
	if *z -= zeros(n / 4 * 3); n == 0 {
		return 0, io.EOF
	}
	return n / 4 * 4, nil
}

var _ = Describe("Saved outputs beyond 256 MiB", func() {
	const size = (spill.Large/3 + 1<<10) * 3

	// document is a run of two iterations of so many int8; no machine needs to hold it.
	document := func() (io.Reader, int64) {
		text := fmt.Sprintf("{'descr': '|i1', 'fortran_order': False, 'shape': (%d,), }", size)
		text += strings.Repeat(" ", 85-len(text)) + "\n"
		header := fmt.Sprintf("\x93NUMPY\x01\x00%c\x00%s", len(text), text) // 96 bytes, whole groups
		array := func(before, after string) []io.Reader {
			data := zeros(size)
			return []io.Reader{strings.NewReader(before + `{"outputs": {"y": {"array": "` +
				base64.StdEncoding.EncodeToString([]byte(header))), &data,
				strings.NewReader(`"}}, "runtime": 1}` + after)}
		}
		all := append(array(`{"lst": [["run", [`, ", "), array("", "]]]}")...)
		return io.MultiReader(all...), 2 * (size/3*4 + 1000)
	}

	It("are not in memory", func() {
		var got []bool
		Expect(peak.Of(func() {
			text, length := document()
			read, err := polygraphy.ReadResults(text, length)
			Expect(err).NotTo(HaveOccurred())
			for _, iteration := range read.Runners[0].Iterations {
				t, err := iteration.Outputs[0].As(tensor.Int8)
				Expect(err).NotTo(HaveOccurred())
				Expect(t.Len()).To(Equal(size))
				got = append(got, spill.InMemory(t))
			}
		})).To(BeNumerically("<", 32<<20))
		Expect(got).To(Equal([]bool{false, false}))
	})
})
