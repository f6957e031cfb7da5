package setfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/internal/testing/peak"
)

var _ = Describe("A large .npy file", func() {
	const size = spill.Large + 1<<20 // of the data, which is all zeros but its last element

	// written is a file with holes, which takes no room on the disk.
	written := func(elements, bytes int64) string {
		GinkgoHelper()
		path := filepath.Join(GinkgoT().TempDir(), "y.npy")
		text := fmt.Sprintf("{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }", elements)
		text += strings.Repeat(" ", 117-len(text)) + "\n"
		f, err := os.Create(path)
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		Expect(fmt.Fprintf(f, "\x93NUMPY\x01\x00%c\x00%s", len(text), text)).Error().
			NotTo(HaveOccurred())
		Expect(f.Truncate(128 + bytes)).To(Succeed())
		Expect(f.WriteAt([]byte{7}, 128+bytes-4)).Error().NotTo(HaveOccurred())
		return path
	}
	read := func(path string) (all []setfile.Iteration, err error) {
		for iteration, wrong := range setfile.Read(setfile.Options{Role: "output"}, path) {
			if wrong != nil {
				return nil, wrong
			}
			all = append(all, iteration)
		}
		return all, nil
	}

	It("is not held in memory", func() {
		path := written(size/4, size)
		Expect(peak.Of(func() {
			all, err := read(path)
			Expect(err).NotTo(HaveOccurred())
			t, ok := all[0].Get("y")
			Expect(ok).To(BeTrue())
			Expect(t.Len()).To(Equal(size / 4))
			Expect(t.Float64At(0)).To(BeZero())
			Expect(t.Float64At(size/4 - 1)).To(Equal(7.0))
			Expect(spill.InMemory(t)).To(BeFalse())
		})).To(BeNumerically("<", 32<<20))
	})

	DescribeTable("that is damaged is refused", func(elements, bytes int64, want string) {
		_, err := read(written(elements, bytes))
		Expect(err).To(MatchError(And(ContainSubstring("y.npy: "), ContainSubstring(want))))
	},
		Entry("cut short", int64(size/4+1), int64(size), "needs 269484036 bytes of data"),
		Entry("longer than its array", int64(10), int64(size),
			"byte 168: the file continues after the array's data"))
})
