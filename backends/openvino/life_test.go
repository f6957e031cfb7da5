package openvino_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// products is y = x·w·w·…·w for a square w, n times: work that takes a while.
func products(size, n int) *loaders.Model {
	weight := make([]float32, size*size)
	for i := range size {
		weight[i*size+(i+1)%size] = 1 // a permutation, so that no value grows
	}
	dims := []int64{int64(size), int64(size)}
	nodes := make([]onnxtest.Node, n)
	for i := range nodes {
		from, to := "x", "y"
		if i > 0 {
			from = nodes[i-1].Out[0]
		}
		if i < n-1 {
			to = fmt.Sprint("t", i)
		}
		nodes[i] = node("MatMul", names(from, "w"), names(to))
	}
	w := onnxtest.Tensor{Name: "w", Type: f32, Dims: dims, Raw: onnxtest.Float32s(weight...)}
	return model([]onnxtest.Value{io("x", f32, size, size)},
		[]onnxtest.Value{io("y", f32, size, size)}, []onnxtest.Tensor{w}, nodes...)
}

var _ = Describe("The life of a backend", func() {
	needed()

	relu := unary("Relu", f32, "n")

	It("gives the same bits each time, and with any number of threads of one kind",
		func(ctx SpecContext) {
			m := products(64, 20)
			inputs := fixtures.Random(m, fixtures.Seed(3), fixtures.ValRange(-1.0, 1.0))
			expected, _ := run(ctx, m, inputs).Get("y")
			for range 5 {
				got, _ := run(ctx, m, inputs).Get("y")
				Expect(got.Bytes()).To(Equal(expected.Bytes()))
			}
			got, _ := run(ctx, m, inputs, openvino.Threads(0)).Get("y")
			Expect(got.Bytes()).To(Equal(expected.Bytes()), "a permutation is exact in any order")
		})

	It("computes with the requested number of threads", func(ctx SpecContext) {
		for _, row := range []struct{ threads, text string }{{"1", "1"}, {"2", "2"}} {
			options := []openvino.Option{openvino.Property("INFERENCE_NUM_THREADS", row.threads)}
			result, err := openvino.Run(ctx, relu, x(tensor.Of[float32](1)), options...)
			Expect(err).NotTo(HaveOccurred())
			Expect(result.Provenance.Options).To(
				HaveKeyWithValue("INFERENCE_NUM_THREADS", row.text))
		}
	})

	It("stops between two nodes when the context ends", func(ctx SpecContext) {
		m := products(512, 300) // a second or more
		reason := errors.New("enough")
		b, err := openvino.Engine().Open(ctx, m, fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		ending, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(100*time.Millisecond, func() { cancel(reason) })
		_, err = b.Run(ending, fixtures.Random(m))
		Expect(err).To(MatchError(reason))
		Expect(err).NotTo(MatchError(ContainSubstring("continues in the background")))
	}, NodeTimeout(time.Minute))

	It("leaves what does not stop, and can be closed meanwhile", func(ctx SpecContext) {
		// Inside a loop OpenVINO does not check for cancellation, but continues to the loop's end.
		body := onnxtest.Graph{Inputs: []onnxtest.Value{io("i", i64), io("go", 9), io("c", f32, 1)},
			Outputs: []onnxtest.Value{io("on", 9), io("d", f32, 1)},
			Nodes: []onnxtest.Node{node("Identity", names("go"), names("on")),
				node("Sin", names("c"), names("d"))}}
		m := model([]onnxtest.Value{io("times", i64), io("x", f32, 1)},
			[]onnxtest.Value{io("y", f32, 1)},
			[]onnxtest.Tensor{{Name: "true", Type: 9, Raw: []byte{1}}},
			node("Loop", names("times", "true", "x"), names("y"),
				onnxtest.Attr{Name: "body", Graph: &body}))
		inputs := func(times int64) fixtures.Inputs {
			return feed(in("times", tensor.Scalar(times)), in("x", tensor.Of[float32](1)))
		}
		b, err := openvino.Engine(openvino.WarmUp(1)).Open(ctx, m, fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		// As many rounds as take some ten seconds here, five times what is waited for.
		measured, err := b.Run(ctx, inputs(100000))
		Expect(err).NotTo(HaveOccurred())
		took := measured.Iterations()[0].Runtime
		times := int64(100000 * float64(10*time.Second) / float64(took))
		Expect(b.Close()).To(Succeed())

		b, err = openvino.Engine().Open(ctx, m, fixtures.Inputs{})
		Expect(err).NotTo(HaveOccurred())
		const left = "the engine did not stop and continues in the background"
		for range 4 {
			ending, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			_, err = b.Run(ending, inputs(times))
			cancel()
			Expect(err).To(MatchError(context.DeadlineExceeded))
			if strings.Contains(err.Error(), left) {
				break
			}
			times *= 4 // it came to its end, since the machine was busier while it was measured
		}
		Expect(err).To(MatchError(ContainSubstring(left)))
		Expect(b.Close()).To(Succeed())
		_, err = b.Run(ctx, inputs(1))
		Expect(err).To(MatchError(backends.ErrClosed))
	}, NodeTimeout(2*time.Minute))

	DescribeTable("fails where OpenVINO does, with any number of threads",
		func(ctx SpecContext, options ...openvino.Option) {
			// The synchronous call of OpenVINO loses the error with one thread, and gives what it finds.
			m := model([]onnxtest.Value{io("x", f32, "n"), io("shape", i64, 2)},
				[]onnxtest.Value{io("y", f32, nil, nil)}, nil,
				node("Reshape", names("x", "shape"), names("y")))
			_, err := openvino.Run(ctx, m, feed(in("x", tensor.Of[float32](1, 2, 3)),
				in("shape", tensor.Of[int64](2, 2))), options...)
			Expect(err).To(MatchError(ContainSubstring("the shape of input data (3) conflicts with " +
				"the reshape pattern (2.2)")))
		},
		Entry("one"),
		Entry("two", openvino.Threads(2)),
		Entry("its own choice", openvino.Threads(0)),
	)

	It("does not start when the context has ended", func(ctx SpecContext) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err := openvino.Run(ended, loaders.ONNX("testdata/absent.onnx"), x(tensor.Of[float32](1)))
		Expect(err).To(MatchError(context.Canceled))
		_, err = openvino.Engine().Open(ended, relu, x(tensor.Of[float32](1)))
		Expect(err).To(MatchError(context.Canceled))
	})

	It("runs concurrently, also while it is being closed, with more static shapes than are kept",
		func(ctx SpecContext) {
			b, err := openvino.Engine(openvino.StaticShapes()).Open(ctx, relu, x(tensor.Of[float32](1)))
			Expect(err).NotTo(HaveOccurred())
			var group sync.WaitGroup
			for worker := range 8 {
				group.Go(func() {
					defer GinkgoRecover()
					for k := range 20 {
						sent := make([]float32, 1+(worker+k)%12)
						sent[0] = float32(worker)
						result, err := b.Run(ctx, x(tensor.Of(sent...)))
						Expect(err).NotTo(HaveOccurred())
						got, _ := result.Outputs()[0].Get("y")
						Expect(got.Shape()).To(Equal(tensor.Shape{len(sent)}))
						Expect(got.Float64At(0)).To(Equal(float64(worker)))
					}
				})
			}
			group.Wait()
			for range 4 {
				group.Go(func() {
					defer GinkgoRecover()
					for {
						if _, err := b.Run(ctx, x(tensor.Of[float32](1))); err != nil {
							Expect(err).To(MatchError(backends.ErrClosed))
							return
						}
					}
				})
			}
			runtime.Gosched()
			Expect(b.Close()).To(Succeed())
			group.Wait()
		}, NodeTimeout(time.Minute))
})
