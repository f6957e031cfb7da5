//go:build linux && cgo

package trt_test

import (
	"errors"
	"iter"
	"log/slog"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("INT8 calibration", Label("mock"), func() {
	batches := func() fixtures.Inputs {
		return fixtures.Of(set(floats([]int{2}, 1, 2)), set(floats([]int{2}, 3, 4)),
			set(floats([]int{2}, 5, 6)))
	}

	DescribeTable("feeds the batches by the chosen algorithm",
		func(ctx SpecContext, algorithm trt.Option, want ...string) {
			cache := filepath.Join(GinkgoT().TempDir(), "scales")
			text, err := build(ctx, mock(10, 6), trt.INT8(), trt.Calibrate(batches()),
				trt.CalibrationCache(cache), algorithm)
			Expect(err).NotTo(HaveOccurred())
			for _, line := range want {
				Expect(text).To(ContainSubstring(line))
			}
			Expect(os.ReadFile(cache)).To(Equal([]byte("scales of 3 batches, first values 9")))
		},
		Entry("entropy 2", trt.Options(), "calibration algorithm 2, batch size 1"),
		Entry("min-max", trt.MinMaxCalibration(), "calibration algorithm 3"),
		Entry("entropy", trt.EntropyCalibration(), "calibration algorithm 1"),
		Entry("legacy", trt.LegacyCalibration(0.9, 0.4), "calibration algorithm 0",
			"quantile 0.90 cutoff 0.40"),
	)

	It("uses a cache instead of the batches", func(ctx SpecContext) {
		cache := filepath.Join(GinkgoT().TempDir(), "scales")
		Expect(os.WriteFile(cache, []byte("scales"), 0o644)).To(Succeed())
		text, err := build(ctx, mock(10, 6), trt.INT8(), trt.CalibrationCache(cache))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring("calibration cache of 6 bytes"))
		Expect(os.ReadFile(cache)).To(Equal([]byte("scales")))
	})

	It("calibrates in the last profile, as Polygraphy does", func(ctx SpecContext) {
		text := &log{}
		range1, range2 := trt.Range("x", []int{1}, []int{1}, []int{1}),
			trt.Range("x", []int{2}, []int{2}, []int{3})
		e, err := trt.New(ctx, chain("c", 1, "n"), none, on(mock(10, 6), trt.Log(text, slog.LevelDebug),
			trt.Profile(range1), trt.Profile(range2), trt.INT8(), trt.Calibrate(batches()))...)
		Expect(err).NotTo(HaveOccurred())
		defer e.Close()
		Expect(text.String()).To(ContainSubstring("calibration profile from 2 to 3"))
	})

	It("is part of the engine's key", func(ctx SpecContext) {
		folder, text := GinkgoT().TempDir(), &log{}
		for _, value := range []float32{1, 2, 1} {
			e, err := trt.New(ctx, chain("c", 1, 1), none, on(mock(10, 6), trt.EngineCache(folder),
				trt.Log(text, slog.LevelInfo),
				trt.INT8(), trt.Calibrate(fixtures.Of(set(floats([]int{1}, value)))))...)
			Expect(err).NotTo(HaveOccurred())
			Expect(e.Close()).To(Succeed())
		}
		Expect(countOf(text.String(), built)).To(Equal(2))
	})

	broken := errors.New("the disk is gone")
	DescribeTable("says which batch is wrong",
		func(ctx SpecContext, inputs fixtures.Inputs, want string) {
			cache := filepath.Join(GinkgoT().TempDir(), "scales")
			_, err := build(ctx, mock(10, 6), trt.INT8(), trt.Calibrate(inputs),
				trt.CalibrationCache(cache))
			Expect(err).To(MatchError(ContainSubstring(want)))
			Expect(cache).NotTo(BeAnExistingFile())
		},
		Entry("none", fixtures.Of(), "there are no calibration inputs; set trt.Calibrate"),
		Entry("an error", fixtures.From("broken", func() iter.Seq2[*tensor.Set, error] {
			return func(yield func(*tensor.Set, error) bool) { yield(nil, broken) }
		}), "calibration batch 0: the disk is gone"),
		Entry("another input", fixtures.From("z", func() iter.Seq2[*tensor.Set, error] {
			s, _ := tensor.NewSet(tensor.Entry{Name: "z", Tensor: tensor.Of[float32](1)})
			return fixtures.Of(s).All()
		}), `calibration batch 0: no input "x", got z`),
		Entry("another type", fixtures.From("i", func() iter.Seq2[*tensor.Set, error] {
			s, _ := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[int32](1)})
			return fixtures.Of(s).All()
		}), `calibration batch 0: input "x" is int32[1]; calibration batches must have shape`),
		Entry("another shape, which TensorRT would read beyond its end", fixtures.Of(
			set(floats([]int{2}, 1, 2)), set(floats([]int{1}, 1))),
			`calibration batch 1: input "x" is float32[1]; calibration batches must have shape [2], the `+
				`opt`),
	)

	It("reads batches of the most likely shape of the last profile", func(ctx SpecContext) {
		profiles := trt.Options(trt.Profile(trt.Range("x", []int{1}, []int{2}, []int{4})),
			trt.Profile(trt.Range("x", []int{1}, []int{3}, []int{4})), trt.INT8())
		for _, c := range []struct {
			batch tensor.Entry
			words string
		}{
			{floats([]int{3}, 1, 2, 3), ""},
			{floats([]int{2}, 1, 2), `input "x" is float32[2]; calibration batches must have shape [3]`},
			{floats([]int{4}, 1, 2, 3, 4), `input "x" is float32[4]; calibration batches must have shape ` +
				`[3]`},
		} {
			e, err := trt.New(ctx, chain("c", 1, "n"), none, on(mock(10, 6), profiles,
				trt.Calibrate(fixtures.Of(set(c.batch))))...)
			if c.words == "" {
				Expect(err).NotTo(HaveOccurred())
				Expect(e.Close()).To(Succeed())
				continue
			}
			Expect(err).To(MatchError(ContainSubstring(c.words)))
		}
	})

	It("writes the files that are asked for though the engine is in the cache", func(
		ctx SpecContext) {
		folder, text := GinkgoT().TempDir(), &log{}
		inputs := fixtures.Of(set(floats([]int{1}, 1)))
		open := func(options ...trt.Option) {
			GinkgoHelper()
			e, err := trt.New(ctx, chain("c", 1, 1), none, on(mock(10, 6), trt.EngineCache(folder),
				trt.Log(text, slog.LevelInfo), trt.INT8(), trt.Calibrate(inputs),
				trt.Options(options...))...)
			Expect(err).NotTo(HaveOccurred())
			Expect(e.Close()).To(Succeed())
		}
		timings, scales := filepath.Join(folder, "timings"), filepath.Join(folder, "scales")
		open()
		open(trt.TimingCache(timings))
		open(trt.CalibrationCache(scales))
		Expect(timings).To(BeARegularFile())
		Expect(scales).To(BeARegularFile())
		Expect(countOf(text.String(), built)).To(Equal(3))
		open(trt.TimingCache(timings))
		Expect(countOf(text.String(), built)).To(Equal(3), "the file is there")
		open(trt.SaveTimingCache(timings))
		Expect(countOf(text.String(), built)).To(Equal(4), "only a build adds to it")
	})

	It("panics where the inputs do, outside TensorRT's frames", func(ctx SpecContext) {
		calls := 0
		inputs := fixtures.Repeatable("panics", func() iter.Seq2[*tensor.Set, error] {
			calls++
			return func(yield func(*tensor.Set, error) bool) {
				if yield(set(floats([]int{2}, 1, 2)), nil) && calls > 1 { // the first call is the digest's
					panic("the generator broke")
				}
			}
		})
		Expect(func() { _, _ = build(ctx, mock(10, 6), trt.INT8(), trt.Calibrate(inputs)) }).
			To(PanicWith("the generator broke"))
	})
})
