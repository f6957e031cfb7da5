package process_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/tensor"
)

// picture is values that follow from their places, between 0 and 1, with some of them changed.
func picture(change float32, dims ...int) *tensor.Tensor {
	shape, n := tensor.Shape(dims), 1
	for _, dim := range dims {
		n *= dim
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i*7919%256) / 255
	}
	values[0], values[1] = 0, 1 // the scale is known
	values[n-1] = 0.5 + change
	made, err := tensor.New(shape, values)
	if err != nil {
		panic(err)
	}
	return made
}

// bytesOf is a picture in bytes.
func bytesOf(t *tensor.Tensor) *tensor.Tensor {
	GinkgoHelper()
	values := make([]byte, t.Len())
	for i := range values {
		values[i] = byte(math.Round(255 * t.Float64At(i)))
	}
	made, err := tensor.New(t.Shape(), values)
	Expect(err).NotTo(HaveOccurred())
	return made
}

var _ = Describe("LPIPS of a stand-in for its package", func() {
	standIn := process.Env("PYTHONPATH", "testdata/standin")
	BeforeEach(func() { process.Require(GinkgoT(), python("reference.py")) })
	distance := func(ctx context.Context, actual, expected *tensor.Tensor) (float64, error) {
		l := process.StartLPIPS(ctx, standIn)
		defer l.Close()
		return l.Distance(actual, expected)
	}

	It("is the same for every layout and scale of an image", func(ctx SpecContext) {
		l := process.StartLPIPS(ctx, standIn)
		defer l.Close()
		for _, dims := range [][]int{{8, 6, 3}, {3, 8, 6}, {1, 8, 6, 3}, {1, 3, 8, 6}} {
			Expect(l.Distance(picture(0, dims...), picture(0, dims...))).To(BeZero())
			Expect(l.Distance(picture(0.25, dims...), picture(0, dims...))).To(
				BeNumerically("~", 0.25/144, 1e-6), "%v", dims) // 0.5² of 1 in 144 on the scale of 2
		}
		Expect(l.Distance(picture(0.25, 1, 8, 6), picture(0, 1, 8, 6))).To(
			BeNumerically("~", 0.25/48, 1e-6), "a grey image is three times the same")
		Expect(l.Distance(bytesOf(picture(0.25, 8, 6, 3)), bytesOf(picture(0, 8, 6, 3)))).To(
			BeNumerically("~", 0.25/144, 1e-4))
	})

	It("of a batch is the worst image's", func(ctx SpecContext) {
		Expect(distance(ctx, picture(0.25, 4, 3, 8, 6), picture(0, 4, 3, 8, 6))).To(
			BeNumerically("~", 0.25/144, 1e-6))
	})

	It("sees that one side has another scale", func(ctx SpecContext) {
		expected := picture(0, 3, 8, 6)
		values, err := tensor.Values[float32](expected)
		Expect(err).NotTo(HaveOccurred())
		large := make([]float32, len(values))
		for i, v := range values {
			large[i] = 255 * v
		}
		actual, err := tensor.New(tensor.Shape{3, 8, 6}, large)
		Expect(err).NotTo(HaveOccurred())
		Expect(distance(ctx, actual, expected)).To(BeNumerically(">", 1000))
	})

	It("is NaN where a value is, and then the next image is measured", func(ctx SpecContext) {
		l := process.StartLPIPS(ctx, standIn)
		defer l.Close()
		good := picture(0, 3, 8, 6)
		for _, value := range []float64{math.NaN(), math.Inf(1)} {
			spoilt := picture(float32(value), 3, 8, 6)
			Expect(l.Distance(spoilt, good)).To(Satisfy(math.IsNaN))
			Expect(l.Distance(good, spoilt)).To(Satisfy(math.IsNaN))
		}
		_, err := l.Distance(picture(0, 3, 1, 8), picture(0, 3, 1, 8))
		Expect(err).To(MatchError(ContainSubstring("LPIPS: RuntimeError: the image is too small")))
		Expect(l.Distance(good, good)).To(BeZero())
	})

	DescribeTable("refuses what is not an image", func(ctx SpecContext, t *tensor.Tensor,
		says string) {
		_, err := distance(ctx, t, t)
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("a row", tensor.Of[float32](1, 2), "of 3 or 4 dimensions, got [2]"),
		Entry("4 channels", picture(0, 4, 8, 6), "1 or 3 channels, first or last, got [4, 8, 6]"),
		Entry("values of no scale", picture(1, 3, 8, 6), "values from 0 to 1.5, and LPIPS takes 0 to 1"),
	)

	It("ends with the context and with Close", func(ctx SpecContext) {
		ending, cancel := context.WithCancel(ctx)
		l := process.StartLPIPS(ending, standIn)
		good := picture(0, 3, 8, 6)
		Expect(l.Distance(good, good)).To(BeZero())
		cancel()
		Eventually(func() error {
			_, err := l.Distance(good, good)
			return err
		}).Should(HaveOccurred())
	})

	It("says what is missing", func(ctx SpecContext) {
		l := process.StartLPIPS(ctx, process.Env("PYTHONPATH", ""))
		defer l.Close()
		good := picture(0, 3, 8, 6)
		for range 2 {
			_, err := l.Distance(good, good)
			Expect(err).To(Or(BeNil(), MatchError(MatchRegexp("lpips is missing: .* -m pip install lpips"))))
			if err == nil {
				Skip("make engines runs this one: the Python here has lpips")
			}
			missing := (*backends.Missing)(nil)
			Expect(errors.As(err, &missing)).To(BeTrue())
		}
	})
})

var _ = Describe("LPIPS", Ordered, func() {
	It("is the number that the real Polygraphy finds", func(ctx SpecContext) {
		interpreter := environment("torch")
		home, work := made("torch", "lpips"), GinkgoT().TempDir()
		l := process.StartLPIPS(ctx, interpreter, process.Env("TORCH_HOME", home))
		defer l.Close()
		actual, expected := picture(0, 1, 3, 72, 64), picture(0, 1, 3, 72, 64)
		values, err := tensor.Values[float32](actual)
		Expect(err).NotTo(HaveOccurred())
		slices.Reverse(values)
		actual, err = tensor.New(tensor.Shape{1, 3, 72, 64}, values)
		Expect(err).NotTo(HaveOccurred())
		found, err := l.Distance(actual, expected)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeNumerically(">", 1e-4))
		Expect(l.Distance(expected, expected)).To(BeZero())

		where, err := exec.Command(os.Getenv(process.PythonVariable), "-c",
			"import os, polygraphy; print(os.path.dirname(polygraphy.__file__))").Output()
		Expect(err).NotTo(HaveOccurred())
		Expect(os.Symlink(strings.TrimSpace(string(where)),
			filepath.Join(work, "polygraphy"))).To(Succeed())
		var paths []string
		for i, t := range []*tensor.Tensor{actual, expected} {
			path := filepath.Join(work, string('a'+rune(i))+".npy")
			var file bytes.Buffer
			Expect(npy.Write(&file, t)).To(Succeed())
			Expect(os.WriteFile(path, file.Bytes(), 0o600)).To(Succeed())
			paths = append(paths, path)
		}
		command := exec.CommandContext(ctx, filepath.Join(os.Getenv("MODELPARITY_ENGINES"), "torch",
			"bin", "python"), append([]string{"testdata/polygraphy_lpips.py"}, paths...)...)
		command.Env = append(os.Environ(), "PYTHONPATH="+work, "TORCH_HOME="+home)
		out, err := command.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		lines := strings.Split(strings.TrimSpace(string(out)), "\n") // it may warn first
		theirs, err := strconv.ParseFloat(strings.TrimPrefix(lines[len(lines)-1], "LPIPS "), 64)
		Expect(err).NotTo(HaveOccurred(), string(out))
		Expect(found).To(BeNumerically("~", theirs, 1e-6*theirs))
	})
})
