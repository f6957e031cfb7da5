//go:build linux && cgo

package trt_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// What an engine does on a GPU, whatever it computes: its memory, shapes, element types, layouts.
var _ = Describe("an engine on a GPU", Label("gpu"), func() {
	BeforeEach(needGPU)

	It("is built once, and found again in the cache", func(ctx SpecContext) {
		folder := trt.EngineCache(GinkgoT().TempDir())
		var seconds []string
		for range 3 {
			start := time.Now()
			_, err := trt.Run(ctx, digits, images, onGPU(folder)...)
			Expect(err).NotTo(HaveOccurred())
			seconds = append(seconds, time.Since(start).Round(time.Microsecond).String())
		}
		AddReportEntry("first, second, third run", seconds)
	}, long)

	It("keeps the GPU's memory flat over a thousand runs without a build", func(ctx SpecContext) {
		folder := trt.EngineCache(GinkgoT().TempDir())
		watcher, err := trt.New(ctx, digits, images, onGPU(folder)...)
		Expect(err).NotTo(HaveOccurred())
		defer watcher.Close()
		run := func(n int) {
			for range n {
				_, err := trt.Run(ctx, digits, images, folder)
				Expect(err).NotTo(HaveOccurred())
				_, err = watcher.Run(ctx, images)
				Expect(err).NotTo(HaveOccurred())
			}
		}
		run(10)
		before := watcher.Leaked()
		start := time.Now()
		run(1000)
		AddReportEntry("a thousand loads and two thousand runs", time.Since(start).String())
		AddReportEntry("bytes in use before and after", []int64{before, watcher.Leaked()})
		Expect(watcher.Leaked()).To(Equal(before))
	}, long)

	It("gives back the GPU's memory on close, and on an error", func(ctx SpecContext) {
		watcher, err := trt.New(ctx, chain("watch", 1, 1), none, onGPU()...)
		Expect(err).NotTo(HaveOccurred())
		defer watcher.Close()
		before := watcher.Leaked()
		for range 3 {
			e, err := trt.New(ctx, chain("c", 1, 1<<24), none, onGPU()...)
			Expect(err).NotTo(HaveOccurred())
			_, err = e.Run(ctx, feed(floats(tensor.Shape{1 << 24}, make([]float32, 1<<24)...)))
			Expect(err).NotTo(HaveOccurred())
			during := watcher.Leaked()
			Expect(during).To(BeNumerically(">=", before+2*(64<<20)))
			_, err = e.Run(ctx, feed(floats(tensor.Shape{1}, 1)))
			Expect(err).To(MatchError(ContainSubstring("got float32[1]: dimension 0 differs")))
			Expect(e.Close()).To(Succeed())
		}
		AddReportEntry("bytes in use before and after", []int64{before, watcher.Leaked()})
		Expect(watcher.Leaked()).To(BeNumerically("<=", before+(4<<20)))
	}, long)

	It("is saved, loaded and described", func(ctx SpecContext) {
		plan := filepath.Join(GinkgoT().TempDir(), "c.plan")
		e, err := trt.New(ctx, chain("c", 1, 2, 3), none, onGPU(trt.Refittable(),
			trt.Detailed())...)
		Expect(err).NotTo(HaveOccurred())
		defer e.Close()
		info, err := e.Information()
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Refittable).To(BeTrue())
		Expect(info.Tensors).To(HaveLen(2))
		AddReportEntry("inspector", string(info.Inspector))
		x := floats(tensor.Shape{2, 3}, -1, 0, 1, 2, 3, 4)
		run, err := e.Run(ctx, feed(x))
		Expect(err).NotTo(HaveOccurred())
		Expect(values(run, "y")).To(Equal([]float32{1, 1, 2, 3, 4, 5}))
		Expect(e.Save(plan)).To(Succeed())
		start := time.Now()
		loaded, err := trt.Load(plan, trt.Log(GinkgoWriter, slog.LevelWarn))
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("load", time.Since(start).String())
		defer loaded.Close()
		for _, engine := range []*trt.Backend{e, loaded} {
			run, err := engine.Run(ctx, feed(x))
			Expect(err).NotTo(HaveOccurred())
			Expect(values(run, "y")).To(Equal([]float32{1, 1, 2, 3, 4, 5}))
		}
	}, long)

	It("runs concurrently with others from many goroutines", func(ctx SpecContext) {
		var engines []*trt.Backend
		for i := range 4 {
			e, err := trt.New(ctx, chain("c", float32(i), "n"), none, onGPU(trt.Profile(
				trt.Range("x", tensor.Shape{1}, tensor.Shape{8}, tensor.Shape{64})))...)
			Expect(err).NotTo(HaveOccurred())
			defer e.Close()
			engines = append(engines, e)
		}
		var wait sync.WaitGroup
		for g := range 16 {
			wait.Go(func() {
				defer GinkgoRecover()
				for i := range 50 {
					n := 1 + (g*7+i)%64
					x, want := make([]float32, n), make([]float32, n)
					for k := range x {
						x[k] = float32(g + k)
						want[k] = x[k] + float32(g%4)
					}
					run, err := engines[g%4].Run(ctx, feed(floats(tensor.Shape{n}, x...)))
					Expect(err).NotTo(HaveOccurred())
					Expect(values(run, "y")).To(Equal(want))
				}
			})
		}
		wait.Wait()
	}, long)

	It("is given up when the context ends", func(ctx SpecContext) {
		cancelled, cancel := context.WithCancelCause(ctx)
		why := errors.New("the spec had enough")
		_, err := trt.New(cancelled, digits, images, onGPU(trt.Log(
			seeing("Tactic", func() { cancel(why) }), slog.LevelDebug))...)
		Expect(err).To(MatchError(why))
	}, long)

	It("chooses among profiles", func(ctx SpecContext) {
		profile := func(low, high int) trt.Option {
			return trt.Profile(trt.Range("x", tensor.Shape{low}, tensor.Shape{low}, tensor.Shape{high}))
		}
		run, err := trt.Run(ctx, chain("c", 1, "n"), feed(floats(tensor.Shape{5}, 1, 2, 3, 4, 5)),
			onGPU(profile(1, 2), profile(4, 8), trt.ProfileIndex(1))...)
		Expect(err).NotTo(HaveOccurred())
		Expect(values(run, "y")).To(Equal([]float32{2, 3, 4, 5, 6}))
	}, long)

	It("gives outputs whose size only the inference knows", func(ctx SpecContext) {
		for _, strategy := range []trt.Option{{}, trt.AllocateForShapes()} {
			run, err := trt.Run(ctx, nonZero(), feed(
				floats(tensor.Shape{2, 3}, 0, 3, 0, 4, 0, 5)),
				onGPU(strategy)...)
			Expect(err).NotTo(HaveOccurred())
			y, _ := run.Outputs()[0].Get("y")
			Expect(tensor.Values[int64](y)).To(Equal([]int64{0, 1, 1, 1, 0, 2}))
		}
	}, long)

	It("takes shapes as inputs", func(ctx SpecContext) {
		first := feed(floats(tensor.Shape{1}, 7),
			tensor.Entry{Name: "s", Tensor: tensor.Of[int64](2, 3)})
		run, err := trt.Run(ctx, expand(), first, onGPU()...)
		Expect(err).NotTo(HaveOccurred())
		Expect(values(run, "y")).To(Equal([]float32{7, 7, 7, 7, 7, 7}))
		e, err := trt.New(ctx, expand(), none, onGPU(trt.Profile(
			trt.Values("s", []int64{1, 1}, []int64{2, 3}, []int64{4, 4})))...)
		Expect(err).NotTo(HaveOccurred())
		defer e.Close()
		run, err = e.Run(ctx, feed(floats(tensor.Shape{1}, 5),
			tensor.Entry{Name: "s", Tensor: tensor.Of[int64](1, 4)}))
		Expect(err).NotTo(HaveOccurred())
		Expect(values(run, "y")).To(Equal([]float32{5, 5, 5, 5}))
	}, long)

	DescribeTable("takes every element type",
		func(ctx SpecContext, model *loaders.Model, elem tensor.ElementType, options ...trt.Option) {
			n := 16
			data := make([]byte, elem.Bytes(n))
			for i := range data {
				data[i] = byte(i & 1)
			}
			x, err := tensor.FromBytes(elem, tensor.Shape{n}, data)
			Expect(err).NotTo(HaveOccurred())
			inputs := feed(tensor.Entry{Name: "x", Tensor: x})
			run, err := trt.Run(ctx, model, inputs, onGPU(options...)...)
			Expect(err).NotTo(HaveOccurred())
			needBoth()
			Expect(run).To(MatchOutputsWithin(0, 0, Elementwise).Of(ort.Run(ctx, model, inputs)))
		},
		Entry("float32", long, one("Identity", 1, 16), tensor.Float32),
		Entry("float16", long, one("Identity", 10, 16), tensor.Float16, trt.StronglyTyped()),
		Entry("bfloat16", long, one("Identity", 16, 16), tensor.BFloat16, trt.StronglyTyped()),
		Entry("int32", long, one("Identity", 6, 16), tensor.Int32),
		Entry("int64", long, one("Identity", 7, 16), tensor.Int64),
		Entry("bool", long, one("Identity", 9, 16), tensor.Bool),
		Entry("uint8", long, cast(2), tensor.Uint8),
		Entry("int8", long, dequantize(3), tensor.Int8, trt.StronglyTyped()),
		Entry("float8", long, dequantize(17), tensor.Float8E4M3FN, trt.StronglyTyped()),
	)

	DescribeTable("rearranges other formats",
		func(ctx SpecContext, format trt.TensorFormat, options ...trt.Option) {
			x := make([]float32, 2*6*5*7)
			want := make([]float32, len(x))
			for i := range x {
				x[i] = float32(i%61 - 30)
				want[i] = max(x[i], 0)
			}
			run, err := trt.Run(ctx, one("Relu", onnxFloat, 2, 6, 5, 7),
				feed(floats(tensor.Shape{2, 6, 5, 7}, x...)), onGPU(append(options,
					trt.TensorFormats("x", format), trt.TensorFormats("y", format))...)...)
			Expect(err).NotTo(HaveOccurred())
			Expect(values(run, "y")).To(Equal(want))
		},
		Entry(nil, long, trt.Linear),
		Entry(nil, long, trt.CHW32),
		Entry(nil, long, trt.HWC),
	)

	It("rearranges float16 formats", func(ctx SpecContext) {
		for _, format := range []trt.TensorFormat{trt.HWC8, trt.CHW2, trt.CHW4, trt.CHW16,
			trt.HWC16} {
			x := make([]byte, 2*2*20*3*5)
			for i := range x {
				x[i] = byte(i % 59)
			}
			t, err := tensor.FromBytes(tensor.Float16, tensor.Shape{2, 20, 3, 5}, x)
			Expect(err).NotTo(HaveOccurred())
			run, err := trt.Run(ctx, one("Relu", 10, 2, 20, 3, 5),
				feed(tensor.Entry{Name: "x", Tensor: t}),
				onGPU(trt.FP16(), trt.TensorFormats("x", format), trt.TensorFormats("y", format))...)
			if err != nil {
				AddReportEntry(string(format), err.Error()) // not every format exists for every type
				continue
			}
			y, _ := run.Outputs()[0].Get("y")
			Expect(y.Bytes()).To(Equal(x), format)
			AddReportEntry(string(format), "as it was")
		}
	}, long)

	It("sets the element type of an output", func(ctx SpecContext) {
		run, err := trt.Run(ctx, chain("c", 0.5, 2), feed(floats(tensor.Shape{2}, 1, 2)),
			onGPU(trt.FP16(), trt.TensorType("y", tensor.Float16))...)
		Expect(err).NotTo(HaveOccurred())
		y, _ := run.Outputs()[0].Get("y")
		Expect(y.ElementType()).To(Equal(tensor.Float16))
		Expect([]float64{y.Float64At(0), y.Float64At(1)}).To(Equal([]float64{1.5, 2.5}))
	}, long)

	It("loads plugins", func(ctx SpecContext) {
		plugins := filepath.Join(os.Getenv(trt.LibraryVariable), "libnvinfer_vc_plugin.so.10")
		if _, err := os.Stat(plugins); err != nil {
			Skip("NVIDIA's version-compatible plugins are not in TensorRT's folder:  " + err.Error())
		}
		_, err := trt.Run(ctx, chain("c", 1, 1), feed(floats(tensor.Shape{1}, 1)),
			onGPU(trt.Plugins(plugins))...)
		Expect(err).NotTo(HaveOccurred())
	}, long)

	DescribeTable("says what this TensorRT or this machine lacks",
		func(ctx SpecContext, want string, option trt.Option) {
			_, err := trt.New(ctx, chain("c", 1, 1), none, onGPU(option)...)
			if err == nil {
				Skip("this TensorRT has it")
			}
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("DLA", long, "this machine has 0 deep learning accelerators", trt.DLA(0)),
		Entry("GPUFallback without DLA", long, "0 deep learning accelerators",
			trt.Options(trt.DLA(0), trt.GPUFallback())),
		Entry("TilingLevel", long, "it was added in 10.9", trt.TilingFull()),
		Entry("DebugUnfused", long, "it was added in 10.12", trt.DebugUnfused()),
		Entry("Platform", long, "returned no engine", trt.ForWindows()),
	)

	It("says which node the parser refuses", func(ctx SpecContext) {
		_, err := trt.New(ctx, one("NoSuchOperator", onnxFloat, 1), none, onGPU()...)
		Expect(err).To(MatchError(And(ContainSubstring("the ONNX parser rejects the model"),
			ContainSubstring(`node "node", operator NoSuchOperator`))))
	}, long)
})

var _ = Describe("a transformer encoder on a GPU", Label("gpu"), func() {
	model := encoder
	tokens := func(batch, sequence int) fixtures.Inputs {
		return fixtures.Random(model, fixtures.Shape("tokens", batch, sequence),
			fixtures.ValRange(0, 63), fixtures.Iterations(2))
	}
	BeforeEach(needBoth)

	DescribeTable("is ONNX Runtime's", func(ctx SpecContext, batch, sequence int) {
		inputs := tokens(batch, sequence)
		Expect(trt.Run(ctx, model, inputs, onGPU()...)).To(
			MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, model, inputs)))
	},
		Entry(nil, long, 1, 1), Entry(nil, long, 3, 7), Entry(nil, long, 2, 128))

	It("serves every shape of one profile", func(ctx SpecContext) {
		e, err := trt.New(ctx, model, none, onGPU(trt.Profile(trt.Range("tokens",
			tensor.Shape{1, 1}, tensor.Shape{2, 16}, tensor.Shape{8, 128})))...)
		Expect(err).NotTo(HaveOccurred())
		defer e.Close()
		for _, shape := range [][2]int{{1, 1}, {8, 128}, {3, 5}, {1, 64}} {
			inputs := tokens(shape[0], shape[1])
			Expect(e.Run(ctx, inputs)).To(
				MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(ort.Run(ctx, model, inputs)))
		}
	}, long)
})

func size(path string) int {
	GinkgoHelper()
	info, err := os.Stat(path)
	Expect(err).NotTo(HaveOccurred())
	return int(info.Size())
}

// cast is x, of an element type, as float32.
func cast(elem int32) *loaders.Model {
	to := int64(onnxFloat)
	return loaders.ONNXBytes("cast.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Cast", Name: "cast", In: []string{"x"}, Out: []string{"y"},
			Attrs: []onnxtest.Attr{{Name: "to", Int: &to}}}},
		Inputs:  []onnxtest.Value{in("x", elem, 16)},
		Outputs: []onnxtest.Value{in("y", onnxFloat, 16)},
	}}.Bytes())
}

// dequantize is x, of an 8-bit type, as float32, in steps of a half.
func dequantize(elem int32) *loaders.Model {
	return loaders.ONNXBytes("dequantize.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "DequantizeLinear", Name: "dequantize",
			In: []string{"x", "scale", "zero"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "scale", Type: onnxFloat, Raw: onnxtest.Float32s(0.5)},
			{Name: "zero", Type: elem, Raw: []byte{0}}},
		Inputs:  []onnxtest.Value{in("x", elem, 16)},
		Outputs: []onnxtest.Value{in("y", onnxFloat, 16)},
	}}.Bytes())
}
