//go:build linux && cgo

package trt_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// An engine is a backend.
var _ backends.Backend = (*trt.Backend)(nil)

// feed is one set of inputs.
func feed(entries ...tensor.Entry) fixtures.Inputs {
	GinkgoHelper()
	set, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

// floats is a float32 tensor named x.
func floats(shape tensor.Shape, values ...float32) tensor.Entry {
	GinkgoHelper()
	t, err := tensor.New(shape, values)
	Expect(err).NotTo(HaveOccurred())
	return tensor.Entry{Name: "x", Tensor: t}
}

// values is the float32 values of an output of the first iteration.
func values(run *backends.Run, name string) []float32 {
	GinkgoHelper()
	t, ok := run.Outputs()[0].Get(name)
	Expect(ok).To(BeTrue(), "no output %q", name)
	v, err := tensor.Values[float32](t)
	Expect(err).NotTo(HaveOccurred())
	return v
}

var _ = Describe("Run", func() {
	for _, version := range [][2]int{{10, 6}, {11, 1}} {
		Context("with the mock of TensorRT", Label("mock"), func() {
			var options []trt.Option
			BeforeEach(func() { options = on(mock(version[0], version[1])) })

			It("gives the outputs of a static model", func(ctx SpecContext) {
				run, err := trt.Run(ctx, chain("chain.onnx", 0.5, 2, 2),
					feed(floats(tensor.Shape{2, 2}, -1, 0, 1, 2)), options...)
				Expect(err).NotTo(HaveOccurred())
				Expect(run.Outputs()[0].Names()).To(Equal([]string{"y"}))
				Expect(values(run, "y")).To(Equal([]float32{0.5, 0.5, 1.5, 2.5}))
				Expect(run.Iterations()[0].Runtime).To(BeNumerically(">", 0))
				Expect(run.Provenance.Backend).To(Equal("tensorrt"))
				Expect(run.Provenance.Provider).To(Equal("Mock GPU 0"))
				Expect(run.Provenance.Options).To(HaveKeyWithValue("cuda driver", "13.0"))
			})

			It("runs any shape that the profile allows", func(ctx SpecContext) {
				e, err := trt.New(ctx, chain("chain.onnx", 0.5, "n", 2), none, append(options, trt.Profile(
					trt.Range("x", tensor.Shape{1, 2}, tensor.Shape{2, 2}, tensor.Shape{4, 2})))...)
				Expect(err).NotTo(HaveOccurred())
				defer e.Close()
				run, err := e.Run(ctx, feed(floats(tensor.Shape{3, 2}, 1, 2, 3, 4, 5, 6)))
				Expect(err).NotTo(HaveOccurred())
				Expect(values(run, "y")).To(HaveLen(6))
				_, err = e.Run(ctx, feed(floats(tensor.Shape{1, 3}, 1, 2, 3)))
				Expect(err).To(MatchError(ContainSubstring("expected x tensor(float32)[?,2], got " +
					"float32[1,3]")))
			})

			It("derives the profile of a dynamic model from all inputs", func(ctx SpecContext) {
				inputs := fixtures.Of(set(floats(tensor.Shape{1, 2}, 1, 2)),
					set(floats(tensor.Shape{3, 2}, 1, 2, 3, 4, 5, 6)))
				run, err := trt.Run(ctx, chain("dynamic.onnx", 0, "n", 2), inputs, options...)
				Expect(err).NotTo(HaveOccurred())
				second, _ := run.Outputs()[1].Get("y")
				Expect(second.Shape()).To(Equal(tensor.Shape{3, 2}))
				Expect(run.Provenance.Options).To(HaveKeyWithValue("profile 0",
					"x:[1,2]:[1,2]:[3,2] (derived from the inputs)"))
			})

			It("gives outputs whose size only the inference knows", func(ctx SpecContext) {
				run, err := trt.Run(ctx, one("NonZero", onnxFloat, 2, 2),
					feed(floats(tensor.Shape{2, 2}, 0, 3, 0, 4)), options...)
				Expect(err).NotTo(HaveOccurred())
				y, _ := run.Outputs()[0].Get("y")
				Expect(y.Shape()).To(Equal(tensor.Shape{2, 2}))
				Expect(tensor.Values[int64](y)).To(Equal([]int64{0, 1, 1, 1}))
			})

			It("feeds shape inputs from the CPU's memory", func(ctx SpecContext) {
				run, err := trt.Run(ctx, expand(), feed(floats(tensor.Shape{1}, 7),
					tensor.Entry{Name: "s", Tensor: tensor.Of[int64](2, 3)}), options...)
				Expect(err).NotTo(HaveOccurred())
				y, _ := run.Outputs()[0].Get("y")
				Expect(y.Shape()).To(Equal(tensor.Shape{2, 3}))
				Expect(values(run, "y")).To(Equal([]float32{7, 7, 7, 7, 7, 7}))
			})
		})
	}

	Context("with the mock of TensorRT 10.6", Label("mock"), func() {
		var options []trt.Option
		BeforeEach(func() { options = on(mock(10, 6)) })

		DescribeTable("moves every element type unchanged",
			func(ctx SpecContext, number int32, elem tensor.ElementType) {
				data := []byte{0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1}
				n := len(data) * 8 / elem.Bits()
				x, err := tensor.FromBytes(elem, tensor.Shape{n}, data)
				Expect(err).NotTo(HaveOccurred())
				run, err := trt.Run(ctx, one("Identity", number, n),
					feed(tensor.Entry{Name: "x", Tensor: x}), options...)
				Expect(err).NotTo(HaveOccurred())
				y, _ := run.Outputs()[0].Get("y")
				Expect(y.ElementType()).To(Equal(elem))
				Expect(y.Bytes()).To(Equal(data))
			},
			Entry(nil, int32(1), tensor.Float32), Entry(nil, int32(10), tensor.Float16),
			Entry(nil, int32(16), tensor.BFloat16), Entry(nil, int32(2), tensor.Uint8),
			Entry(nil, int32(3), tensor.Int8), Entry(nil, int32(6), tensor.Int32),
			Entry(nil, int32(7), tensor.Int64), Entry(nil, int32(9), tensor.Bool),
			Entry(nil, int32(17), tensor.Float8E4M3FN), Entry(nil, int32(22), tensor.Int4),
		)

		It("takes empty tensors", func(ctx SpecContext) {
			run, err := trt.Run(ctx, chain("c", 1, "n"), feed(floats(tensor.Shape{0})), options...)
			Expect(err).NotTo(HaveOccurred())
			Expect(values(run, "y")).To(BeEmpty())
		})

		It("rearranges inputs and outputs of another format", func(ctx SpecContext) {
			numbers := make([]float32, 2*6*3)
			for i := range numbers {
				numbers[i] = float32(i)
			}
			options = append(options, trt.TensorFormats("x", "CHW4"), trt.TensorFormats("y", "chw4"))
			run, err := trt.Run(ctx, one("Identity", onnxFloat, 2, 6, 3),
				feed(floats(tensor.Shape{2, 6, 3}, numbers...)), options...)
			Expect(err).NotTo(HaveOccurred())
			Expect(values(run, "y")).To(Equal(numbers))
		})

		DescribeTable("refuses inputs that the engine does not take",
			func(ctx SpecContext, inputs func() fixtures.Inputs, want string) {
				options = append(options, trt.Profile(trt.Range("x", tensor.Shape{1, 2},
					tensor.Shape{2, 2}, tensor.Shape{4, 2})))
				_, err := trt.Run(ctx, chain("c", 1, "n", 2), inputs(), options...)
				Expect(err).To(MatchError(ContainSubstring(want)))
			},
			Entry("a name", func() fixtures.Inputs {
				return feed(tensor.Entry{Name: "z", Tensor: tensor.Of[float32](1)})
			}, `inputs are missing: x tensor(float32)[?,2]; got instead: z`),
			Entry("one more", func() fixtures.Inputs {
				return feed(floats(tensor.Shape{1, 2}, 1, 2),
					tensor.Entry{Name: "z", Tensor: tensor.Of[float32](1)})
			}, `the model has no inputs z; its inputs are x tensor(float32)[?,2]`),
			Entry("the element type", func() fixtures.Inputs {
				return feed(tensor.Entry{Name: "x", Tensor: tensor.Of[int64](1)})
			}, `got int64[1]: the element type differs`),
			Entry("an element type that can be cast", func() fixtures.Inputs {
				half, err := tensor.Of[float32](1).Convert(tensor.Float16)
				Expect(err).NotTo(HaveOccurred())
				return feed(tensor.Entry{Name: "x", Tensor: half})
			}, "got float16[1]: the element type differs; to convert the data, use --cast-inputs, "+
				"or Cast(model) in a spec"),
			Entry("an element type that TensorRT lacks", func() fixtures.Inputs {
				return feed(tensor.Entry{Name: "x", Tensor: tensor.Of(1.5)})
			}, "got float64[1]: the element type differs"),
			Entry("a shape outside the profile", func() fixtures.Inputs {
				return feed(floats(tensor.Shape{5, 2}, make([]float32, 10)...))
			}, "shape [5,2] is outside optimization profile 0, which allows [1 2] to [4 2]; change "+
				"it with trt.Profile"),
			Entry("no iteration", func() fixtures.Inputs { return fixtures.Of() },
				backends.ErrNoInputs.Error()),
		)

		It("refuses a shape that the model does not declare", func(ctx SpecContext) {
			_, err := trt.Run(ctx, chain("c", 1, 2), feed(floats(tensor.Shape{1}, 1)), options...)
			Expect(err).To(MatchError(ContainSubstring("got float32[1]: dimension 0 differs")))
		})

		It("refuses a dynamic model without a profile", func(ctx SpecContext) {
			_, err := trt.New(ctx, chain("c", 1, "n", 2), none, options...)
			Expect(err).To(MatchError(ContainSubstring(`inputs x have dynamic shapes, so the ` +
				`engine needs an optimization profile: pass the inputs of the run, or set trt.Profile(` +
				`trt.Range("x", min, opt, max)`)))
		})

		It("chooses among profiles", func(ctx SpecContext) {
			small := trt.Profile(trt.Range("x", tensor.Shape{1}, tensor.Shape{1}, tensor.Shape{2}))
			large := trt.Profile(trt.Range("x", tensor.Shape{3}, tensor.Shape{4}, tensor.Shape{8}))
			options = append(options, small, large)
			inputs := feed(floats(tensor.Shape{3}, 1, 2, 3))
			_, err := trt.Run(ctx, chain("c", 1, "n"), inputs, options...)
			Expect(err).To(MatchError(ContainSubstring("profile 0, which allows [1] to [2]")))
			run, err := trt.Run(ctx, chain("c", 1, "n"), inputs,
				append(options, trt.ProfileIndex(1))...)
			Expect(err).NotTo(HaveOccurred())
			Expect(values(run, "y")).To(Equal([]float32{2, 3, 4}))
			_, err = trt.Run(ctx, chain("c", 1, "n"), inputs,
				append(options, trt.ProfileIndex(2))...)
			Expect(err).To(MatchError(ContainSubstring(
				"unknown optimization profile 2; the engine has 0 to 1")))
		})

		It("runs several engines at once, and one from many goroutines", func(ctx SpecContext) {
			var engines []*trt.Backend
			for i := range 3 {
				e, err := trt.New(ctx, chain("c", float32(i), 2), none, options...)
				Expect(err).NotTo(HaveOccurred())
				defer e.Close()
				engines = append(engines, e)
			}
			var wait sync.WaitGroup
			for g := range 12 {
				wait.Go(func() {
					defer GinkgoRecover()
					for range 20 {
						run, err := engines[g%3].Run(ctx, feed(floats(tensor.Shape{2}, 1, float32(g))))
						Expect(err).NotTo(HaveOccurred())
						Expect(values(run, "y")).To(Equal(
							[]float32{1 + float32(g%3), float32(g) + float32(g%3)}))
					}
				})
			}
			wait.Wait()
		})

		It("warms up with the first inputs, and counts the iterations alone", func(ctx SpecContext) {
			text := &log{}
			run, err := trt.Run(ctx, chain("c", 1, 1), feed(floats(tensor.Shape{1}, 1)),
				append(options, trt.WarmUp(3), trt.AllocateForShapes(),
					trt.Log(text, slog.LevelDebug))...)
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Iterations()).To(HaveLen(1))
			Expect(countOf(text.String(), "bytes of working memory")).To(Equal(4))
			Expect(text.String()).NotTo(ContainSubstring("at nothing"))
		})

		It("ends with the context", func(ctx SpecContext) {
			e, err := trt.New(ctx, chain("c", 1, 1), none, options...)
			Expect(err).NotTo(HaveOccurred())
			defer e.Close()
			cancelled, cancel := context.WithCancelCause(ctx)
			why := errors.New("the spec had enough")
			cancel(why)
			_, err = e.Run(cancelled, feed(floats(tensor.Shape{1}, 1)))
			Expect(err).To(MatchError(why))
		})

		It("says that a closed engine is closed", func(ctx SpecContext) {
			e, err := trt.New(ctx, chain("c", 1, 1), none, options...)
			Expect(err).NotTo(HaveOccurred())
			Expect(e.Close()).To(Succeed())
			Expect(e.Close()).To(Succeed())
			_, err = e.Run(ctx, feed(floats(tensor.Shape{1}, 1)))
			Expect(err).To(MatchError(backends.ErrClosed))
		})
	})
})

var _ = Describe("memory of the GPU", Label("mock"), func() {
	var options []trt.Option
	var probe *trt.Backend // keeps the device open, to look at it
	var before int64
	BeforeEach(func(ctx SpecContext) {
		options = on(mock(10, 6))
		var err error
		probe, err = trt.New(ctx, chain("probe", 1, 1), none, options...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(probe.Close)
		trt.DropBuilders()
		before = probe.Leaked()
	})
	AfterEach(func() {
		trt.DropBuilders()
		Expect(probe.Leaked()).To(Equal(before))
	})

	DescribeTable("is given back after an error",
		func(ctx SpecContext, step, want string) {
			setenv("MOCK_TRT_FAIL", step)
			_, err := trt.Run(ctx, one("NonZero", onnxFloat, 2), feed(floats(tensor.Shape{2}, 1, 0)),
				options...)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry(nil, "builder", "TensorRT 10.6.2.7 returned no builder; TensorRT says:\n\t"+
			"mock: no builder"),
		Entry(nil, "parser", "the ONNX parser rejects the model: told to fail"),
		Entry(nil, "build", "could not find any implementation"),
		Entry(nil, "engine", "returned no engine from the plan"),
		Entry(nil, "context", "returned no execution context"),
		Entry(nil, "enqueue", "TensorRT did not start the inference"),
	)

	DescribeTable("names the dimensions that were guessed, in Open and in a run",
		func(ctx SpecContext, step, want string) {
			setenv("MOCK_TRT_FAIL", step)
			free := one("Relu", onnxFloat, "batch")
			_, err := trt.Run(ctx, free, fixtures.Random(free), options...)
			Expect(err).To(MatchError(And(ContainSubstring(want), HaveSuffix(
				`dimensions were assumed to be 1: input "x" "batch"; `+
					`set them with fixtures.Shape`))))
			_, err = trt.Run(ctx, free, fixtures.Random(free, fixtures.Shape("x", 2)), options...)
			Expect(err).To(MatchError(Not(ContainSubstring("assumed"))))
		},
		Entry(nil, "parser", "told to fail"),
		Entry(nil, "build", "could not find any implementation"),
		Entry(nil, "enqueue", "TensorRT did not start the inference"),
	)

	It("blames no dimension if TensorRT is missing", func(ctx SpecContext) {
		free := one("Relu", onnxFloat, "batch")
		_, err := trt.Run(ctx, free, fixtures.Random(free), on("/nowhere/libnvinfer.so.10")...)
		Expect(err).To(MatchError(And(ContainSubstring("trt is missing: "),
			Not(ContainSubstring("assumed")))))
	})

	It("is given back after a run", func(ctx SpecContext) {
		_, err := trt.Run(ctx, one("NonZero", onnxFloat, 2), feed(floats(tensor.Shape{2}, 1, 0)),
			append(options, trt.MarkOnly("y"), trt.AllocateForShapes())...)
		Expect(err).NotTo(HaveOccurred())
	})

	It("is given back after a panic in the inputs", func(ctx SpecContext) {
		inputs := fixtures.From("panics", func() iter.Seq2[*tensor.Set, error] {
			return func(yield func(*tensor.Set, error) bool) {
				yield(set(floats(tensor.Shape{1}, 1)), nil)
				panic("the generator broke")
			}
		})
		Expect(func() {
			_, _ = trt.Run(ctx, chain("c", 1, 1), inputs,
				append(options, trt.Profile())...)
		}).To(PanicWith("the generator broke"))
	})
})

func countOf(text, part string) int { return strings.Count(text, part) }

func set(entries ...tensor.Entry) *tensor.Set {
	GinkgoHelper()
	s, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return s
}
