package noise_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

const digitsFile = "../example_test/digits/testdata/digits.onnx"

func digits() (*loaders.Model, fixtures.Inputs) {
	model := loaders.ONNX(digitsFile)
	return model, fixtures.Random(model, fixtures.Shape("image", 4, 1, 8, 8), fixtures.Iterations(2))
}

// judge compares a run with another by that run's noise.
func judge(actual, expected *backends.Run) compare.Report {
	GinkgoHelper()
	measured, err := noise.Of(expected, noise.CacheIn(GinkgoT().TempDir()))
	Expect(err).NotTo(HaveOccurred())
	report, err := compare.WithinNoise(actual.Outputs(), expected.Outputs(), measured,
		compare.NoiseBars{}, compare.Options{})
	Expect(err).NotTo(HaveOccurred())
	for _, o := range report.Outputs {
		GinkgoWriter.Println(o.Name, o.Results)
	}
	return report
}

func run(ctx context.Context, engine backends.Engine, model fixtures.Declaration,
	inputs fixtures.Inputs) *backends.Run {
	GinkgoHelper()
	run, err := backends.RunIn(ctx, engine, model, inputs)
	Expect(err).NotTo(HaveOccurred())
	return run
}

var _ = Describe("Noise of the digits model", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("does not appear in the suite's list of runs", func(ctx SpecContext) {
		model, inputs := digits()
		tally.Take()
		first, second := run(ctx, ort.Engine(), model, inputs), run(ctx, ort.Engine(), model, inputs)
		made := first.Provenance
		expected := []tally.Run{{Engine: made.String(), Name: made.Backend, Version: made.Version,
			Model: "digits.onnx"}}
		Expect(judge(first, second).Verdict).To(Equal(compare.Pass))
		Expect(tally.Take()).To(Equal(expected))
	})

	DescribeTable("explains the differences between correct engines",
		func(ctx SpecContext, require func(backends.T), engine func() backends.Engine) {
			require(GinkgoT())
			model, inputs := digits()
			report := judge(run(ctx, engine(), model, inputs), run(ctx, ort.Engine(), model, inputs))
			Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
		},
		Entry("ONNX Runtime without optimisation", requireORT, optimized(ort.OptimizeNone)),
		Entry("ONNX Runtime with basic ones", requireORT, optimized(ort.OptimizeBasic)),
		Entry("ONNX Runtime with extended ones", requireORT, optimized(ort.OptimizeExtended)),
		Entry("ONNX Runtime on one thread", requireORT,
			func() backends.Engine { return ort.Engine(ort.Threads(1)) }),
		Entry("ONNX Runtime on two threads", requireORT,
			func() backends.Engine { return ort.Engine(ort.Threads(2)) }),
		Entry("OpenVINO", func(t backends.T) { openvino.Require(t) },
			func() backends.Engine { return openvino.Engine() }),
		Entry("tract", func(t backends.T) { tract.Require(t) },
			func() backends.Engine { return tract.Engine() }),
	)

	It("does not explain lower precision", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		model, inputs := digits()
		report := judge(run(ctx, tract.Engine(tract.FP16()), model, inputs),
			run(ctx, ort.Engine(), model, inputs))
		Expect(report.Verdict).To(Equal(compare.Fail))
		Expect(report.Outputs[0].Reason).To(MatchRegexp(
			`beyond noise: rms error \S+ σ \(limit \S+\), largest`))
	})

	It("is the same each time", func(ctx SpecContext) {
		model, inputs := digits()
		subject := run(ctx, ort.Engine(ort.Threads(1)), model, inputs).Subject()
		first, err := noise.Measure(ctx, subject, noise.Runs(5))
		Expect(err).NotTo(HaveOccurred())
		Expect(noise.Measure(ctx, subject, noise.Runs(5))).To(Equal(first))
		Expect(noise.Measure(ctx, subject, noise.Runs(5), noise.Seed(2))).NotTo(Equal(first))
		Expect(first.Runs).To(Equal(5))
		Expect(first.Addends).To(BeNumerically(">", 1))
	})

	It("is measured once for the same model, inputs and engine", func(ctx SpecContext) {
		model, inputs := digits()
		dir := noise.CacheIn(GinkgoT().TempDir())
		reference := run(ctx, ort.Engine(), model, inputs)
		first, err := noise.Of(reference, dir)
		Expect(err).NotTo(HaveOccurred())

		canceled, cancel := context.WithCancel(ctx)
		again := run(canceled, ort.Engine(), model, inputs)
		cancel() // any further run of the model fails
		Expect(noise.Of(again, dir)).To(Equal(first))
		_, err = noise.Of(again, dir, noise.Seed(7))
		Expect(err).To(MatchError(context.Canceled))
	})
})

func requireORT(t backends.T) { ort.Require(t) }

func optimized(level ort.Level) func() backends.Engine {
	return func() backends.Engine { return ort.Engine(ort.OptimizationLevel(level)) }
}

// floats is a tensor of float32 values in a model.
func floats(name string, values ...float32) onnxtest.Tensor {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return onnxtest.Tensor{Name: name, Type: 1, Dims: []int64{int64(len(values))}, Raw: raw}
}

var _ = Describe("Noise of small models", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	model := func(elem int32, nodes ...onnxtest.Node) *loaders.Model {
		return loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   nodes,
			Inputs:  []onnxtest.Value{{Name: "x", Elem: elem, Dims: []any{"n"}}},
			Outputs: []onnxtest.Value{{Name: "y"}},
		}}.Bytes())
	}
	weights := floats("", 0.3, 0.7, 0.9)
	constant := onnxtest.Node{Op: "Constant", Out: []string{"w"},
		Attrs: []onnxtest.Attr{{Name: "value", Tensor: &weights}}}
	integers := fixtures.Of(set("x", tensor.Of[int64](1, 2, 3)))

	It("moves the values of Constant nodes", func(ctx SpecContext) {
		m := model(7, constant,
			onnxtest.Node{Op: "Cast", In: []string{"x"}, Out: []string{"f"},
				Attrs: []onnxtest.Attr{{Name: "to", Int: new(int64(1))}}},
			onnxtest.Node{Op: "Mul", In: []string{"f", "w"}, Out: []string{"y"}})
		measured, err := noise.Measure(ctx, run(ctx, ort.Engine(), m, integers).Subject())
		Expect(err).NotTo(HaveOccurred())
		Expect(measured.Outputs[0][0].RMS).To(BeNumerically("~", 6e-8, 6e-8))
		Expect(measured.Outputs[0][0].RMS).To(BeNumerically(">", 0))
	})

	It("rejects models of which no node rounds", func(ctx SpecContext) {
		m := model(7, onnxtest.Node{Op: "Add", In: []string{"x", "x"}, Out: []string{"y"}})
		subject := run(ctx, ort.Engine(), m, integers).Subject()
		_, err := noise.Measure(ctx, subject)
		Expect(err).To(MatchError("noise: no node of the model rounds, so its outputs are exact: " +
			"compare with Within(0, 0, Elementwise)"))
		_, err = noise.Measure(ctx, subject, noise.In(ort.Engine()))
		Expect(err).To(MatchError(ContainSubstring(
			"neither the model's weights nor its inputs have a number that rounding could move")))
	})

	// whole makes integers of the products of its inputs with a number.
	whole := func(w float32) *loaders.Model {
		factor := floats("", w, w, w)
		return model(1, onnxtest.Node{Op: "Constant", Out: []string{"w"},
			Attrs: []onnxtest.Attr{{Name: "value", Tensor: &factor}}},
			onnxtest.Node{Op: "Mul", In: []string{"x", "w"}, Out: []string{"p"}},
			onnxtest.Node{Op: "Cast", In: []string{"p"}, Out: []string{"y"},
				Attrs: []onnxtest.Attr{{Name: "to", Int: new(int64(7))}}})
	}

	It("requires equal integers", func(ctx SpecContext) {
		m := whole(0.5)
		reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](3, 5, 7))))
		Expect(judge(reference, reference).Verdict).To(Equal(compare.Pass))
		other := backends.NewRun(reference.Provenance, backends.Iteration{
			Outputs: set("y", tensor.Of[int64](1, 2, 4))})
		Expect(judge(other, reference).Outputs[0].Reason).To(ContainSubstring(
			"1 elements differ although rounding does not change them"))
	})

	It("ignores elements that rounding flips, and fails if none is left",
		func(ctx SpecContext) {
			m := whole(0.5)
			reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](3, 4, 7))))
			flipped := backends.NewRun(reference.Provenance, backends.Iteration{
				Outputs: set("y", tensor.Of[int64](1, 1, 3))})
			report := judge(flipped, reference)
			Expect(report.Verdict).To(Equal(compare.Pass))
			Expect(report.Outputs[0].Results[0].Text).To(ContainSubstring(
				"1 elements that rounding flips are left out"))

			reference = run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](2, 4, 6))))
			measured, err := noise.Measure(ctx, reference.Subject(), noise.Runs(64))
			Expect(err).NotTo(HaveOccurred())
			_, err = compare.WithinNoise(reference.Outputs(), reference.Outputs(), measured,
				compare.NoiseBars{}, compare.Options{})
			Expect(err).To(MatchError(ContainSubstring("rounding alone flips every element")))
		})

	It("allows a saturated output only its last rounding", func(ctx SpecContext) {
		m := model(1, onnxtest.Node{Op: "Sigmoid", In: []string{"x"}, Out: []string{"y"}})
		reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](90, 95, 99))))
		near := backends.NewRun(reference.Provenance, backends.Iteration{
			Outputs: set("y", tensor.Of(math.Nextafter32(1, 0), 1, 1))})
		Expect(judge(near, reference).Verdict).To(Equal(compare.Pass))
		far := backends.NewRun(reference.Provenance, backends.Iteration{
			Outputs: set("y", tensor.Of[float32](0.99999, 1, 1))})
		Expect(judge(far, reference).Verdict).To(Equal(compare.Fail))
	})

	// Sigmoid below -18 is 0 in ONNX Runtime, 1e-8 and less in OpenVINO, and 4e-7 in tract.
	for op, background := range map[string][2]float32{"Sigmoid": {-6.9, 1e-3}, "Tanh": {1e-3, 1e-3}} {
		It("lets engines end a "+op+" in different ways, and sees what is not at its end",
			func(ctx SpecContext) {
				openvino.Require(GinkgoT())
				tract.Require(GinkgoT())
				m := model(1, onnxtest.Node{Op: op, In: []string{"x"}, Out: []string{"y"}})
				for _, from := range []float32{-40, -18, 9} {
					x := make([]float32, 1500)
					for i := range x {
						x[i] = from + float32(i)/1e4
					}
					x[0] = 1 // an output of its end alone has nothing but noise
					input, err := tensor.New(tensor.Shape{1500}, x)
					Expect(err).NotTo(HaveOccurred())
					inputs := fixtures.Of(set("x", input))
					reference := run(ctx, ort.Engine(), m, inputs)
					for _, engine := range []backends.Engine{openvino.Engine(), tract.Engine()} {
						report := judge(run(ctx, engine, m, inputs), reference)
						Expect(report.Verdict).To(Equal(compare.Pass), "%v from %v: %s", engine, from,
							report.Text())
					}
				}
				reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x",
					tensor.Of(-40, background[0], 40))))
				values, err := tensor.Values[float32](reference.Outputs()[0].Values()[0].Tensor)
				Expect(err).NotTo(HaveOccurred())
				Expect(values[1]).To(BeNumerically("~", background[1], 1e-5))
				for _, wrong := range []float32{0, background[1] * 1.01} {
					off := backends.NewRun(reference.Provenance, backends.Iteration{
						Outputs: set("y", tensor.Of(values[0], wrong, values[2]))})
					Expect(judge(off, reference).Verdict).To(Equal(compare.Fail))
				}
			})
	}

	DescribeTable("allows gates that are closed a few last bits of what they let through", func(
		ctx SpecContext, op string, gates int, state []string) {
		weight := func(name string, value func(i int) float32, dims ...int64) onnxtest.Tensor {
			n := int64(1)
			for _, d := range dims {
				n *= d
			}
			values := make([]float32, n)
			for i := range values {
				values[i] = value(i)
			}
			t := floats(name, values...)
			t.Dims = dims
			return t
		}
		small := func(int) float32 { return 0.1 }
		rows := int64(2 * gates)
		closed := func(i int) float32 { // of the second unit; what GRU lets through is 1-z
			switch {
			case i%2 == 0 || i >= 2*(gates-1): // the last is no gate
				return 0
			case op == "GRU":
				return 40
			}
			return -40
		}
		m := loaders.ONNXBytes("gated", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: op, In: []string{"x", "w", "r", "b"}, Out: state,
				Attrs: []onnxtest.Attr{{Name: "hidden_size", Int: new(int64(2))}}}},
			Initializers: []onnxtest.Tensor{weight("w", small, 1, rows, 3),
				weight("r", small, 1, rows, 2), weight("b", closed, 1, 2*rows)},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 1, 3}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{1, 1, 2}}}}}.Bytes())
		x, err := tensor.New(tensor.Shape{1, 1, 3}, []float32{1, 2, 3})
		Expect(err).NotTo(HaveOccurred())
		reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", x)))
		open, _ := reference.Outputs()[0].Get("y")
		other := func(second float32) *backends.Run {
			y, err := tensor.New(tensor.Shape{1, 1, 2}, []float32{float32(open.Float64At(0)), second})
			Expect(err).NotTo(HaveOccurred())
			return backends.NewRun(reference.Provenance, backends.Iteration{Outputs: set("y", y)})
		}
		Expect(judge(other(4e-7), reference).Verdict).To(Equal(compare.Pass))
		Expect(judge(other(1e-4), reference).Verdict).To(Equal(compare.Fail))
	},
		Entry(nil, "LSTM", 4, []string{"", "", "y"}), Entry(nil, "LSTM", 4, []string{"", "y"}),
		Entry(nil, "GRU", 3, []string{"", "y"}),
	)

	It("gives no verdict on an output whose noise is as large as its values", func(
		ctx SpecContext) {
		large := floats("", 1e8, 1e8, 1e8)
		m := model(1, onnxtest.Node{Op: "Constant", Out: []string{"w"},
			Attrs: []onnxtest.Attr{{Name: "value", Tensor: &large}}},
			onnxtest.Node{Op: "Add", In: []string{"x", "w"}, Out: []string{"sum"}},
			onnxtest.Node{Op: "Sub", In: []string{"sum", "w"}, Out: []string{"y"}})
		reference := run(ctx, ort.Engine(), m, fixtures.Of(set("x", tensor.Of[float32](1, 2, 3))))
		_, err := noise.Measure(ctx, reference.Subject())
		Expect(err).To(MatchError(And(HavePrefix(`noise: rounding alone moves output "y" by `),
			HaveSuffix("so noise can tell nothing: compare decisions, or outputs before it"))))
	})

	It("rejects a model that draws random numbers, unless they change nothing", func(
		ctx SpecContext) {
		for _, scale := range []float32{1, 0} {
			factor := floats("", scale)
			m := model(1, onnxtest.Node{Op: "RandomNormalLike", In: []string{"x"}, Out: []string{"n"},
				Attrs: []onnxtest.Attr{{Name: "seed", Float: new(float32(3))}}},
				onnxtest.Node{Op: "Constant", Out: []string{"w"},
					Attrs: []onnxtest.Attr{{Name: "value", Tensor: &factor}}},
				onnxtest.Node{Op: "Mul", In: []string{"n", "w"}, Out: []string{"p"}},
				onnxtest.Node{Op: "Add", In: []string{"x", "p"}, Out: []string{"y"}})
			subject := run(ctx, ort.Engine(), m,
				fixtures.Of(set("x", tensor.Of[float32](100, 2000, 30000)))).Subject()
			_, measured := noise.Measure(ctx, subject)
			_, rounded := precision.Of(ctx, subject, precision.FP16)
			if scale == 0 {
				Expect(errors.Join(measured, rounded)).NotTo(HaveOccurred())
				continue
			}
			for _, err := range []error{measured, rounded} {
				Expect(err).To(MatchError(ContainSubstring(`the model draws random numbers: output "y" ` +
					"differs between two runs in onnxruntime")))
			}
		}
	})

	DescribeTable("compares the noise with the values' own spread, which does not contain it",
		func(spread, scale float64, drowned types.GomegaMatcher) {
			values := set("y", tensor.Of(10+scale*spread, 10-scale*spread))
			Expect(noise.Drowned(compare.OutputNoise{Name: "y", Sigma: []float64{scale, scale},
				RMS: scale}, values)).To(drowned)
		},
		Entry("noise alone", 1.0, 1.0, HaveOccurred()),
		Entry("noise a little larger than the values", 1.3, 1.0, HaveOccurred()),
		Entry("noise a little smaller than the values", 1.5, 1.0, Succeed()),
		Entry("rounding of nearly equal values", 1.0, 1e-6, Succeed()),
	)

	It("rejects a run read from a file", func() {
		_, err := noise.Of(backends.NewRun(backends.Provenance{}))
		Expect(err).To(MatchError(HavePrefix(
			"noise: the run cannot be measured: it was read from a file")))
		_, err = noise.Of(nil)
		Expect(err).To(MatchError("noise: no run to measure"))
	})

	It("measures again if the cache is damaged", func(ctx SpecContext) {
		model, inputs := digits()
		dir := GinkgoT().TempDir()
		reference := run(ctx, ort.Engine(), model, inputs)
		first, err := noise.Of(reference, noise.CacheIn(dir))
		Expect(err).NotTo(HaveOccurred())
		files, err := os.ReadDir(dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(HaveLen(1))
		path := dir + "/" + files[0].Name()
		whole, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		head, numbers, _ := bytes.Cut(whole, []byte("\n"))
		negative := slices.Clone(whole)
		negative[len(negative)-1-sha256.Size] |= 0x80
		greater := slices.Clone(whole)
		greater[len(greater)-1-sha256.Size] = 0x7e // the exponent of the last σ
		for _, damaged := range [][]byte{{}, []byte("{"), []byte("{}\n"), head, whole[:len(whole)-1],
			append(slices.Clone(whole), 0), negative, greater, slices.Concat([]byte("null\n"), numbers),
			bytes.Replace(whole, []byte(`"sigma":[`), []byte(`"sigma":[-`), 1),
			bytes.Replace(whole, []byte(`"sigma":[`), []byte(`"sigma":[9`), 1)} {
			Expect(os.WriteFile(path, damaged, 0o600)).To(Succeed())
			Expect(noise.Of(reference, noise.CacheIn(dir))).To(Equal(first))
		}
	})

	It("needs four runs", func(ctx SpecContext) {
		_, err := noise.Measure(ctx, backends.Subject{}, noise.Runs(3))
		Expect(err).To(MatchError("noise: Runs(3): a spread needs 4 runs or more"))
	})
})

func set(name string, t *tensor.Tensor) *tensor.Set {
	set, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: t})
	if err != nil {
		panic(err)
	}
	return set
}
