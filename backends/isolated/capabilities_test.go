//go:build linux || darwin

package isolated_test

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/remote"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// toldApart is what the engine was told that runs, which is not in this process.
func toldApart(ctx context.Context, e backends.Engine, err error) string {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	run, err := backends.RunIn(ctx, e, difference(), iterations(1))
	Expect(err).NotTo(HaveOccurred())
	Expect(run.Provenance.Options["pid"]).NotTo(Equal(strconv.Itoa(os.Getpid())))
	return run.Provenance.Options["told"]
}

// elsewhere runs an engine on what stands for another machine: a shell without this environment.
func elsewhere(e backends.Engine) backends.Engine {
	return remote.Engine("env -i PATH="+os.Getenv("PATH"), e, remote.Remove())
}

var _ = Describe("What an engine can do, in a process of its own,", func() {
	canDo(func(e backends.Engine) backends.Engine { return isolated.Engine(e) })
})

var _ = Describe("What an engine can do, on another machine,", func() { canDo(elsewhere) })

// canDo holds that an engine, wrapped, has every capability.
func canDo(wrap func(backends.Engine) backends.Engine) {
	can := backends.CapabilitiesOf(wrap(tuned("")))
	checks := map[string]func(ctx context.Context){
		"Threads": func(ctx context.Context) {
			e, err := can.Threads(3)
			Expect(toldApart(ctx, e, err)).To(Equal("3 threads"))
		},
		"Levels": func(ctx context.Context) {
			levels, err := can.Levels()
			Expect(levels).To(HaveLen(2))
			Expect(toldApart(ctx, levels[0], err)).To(Equal("low"))
			Expect(toldApart(ctx, levels[1], err)).To(Equal("high"))
		},
		"Releases": func(ctx context.Context) {
			list, err := can.Releases([]string{"1.2", "1.3"})
			Expect(list).To(HaveLen(2))
			Expect(list[1].Version).To(Equal("1.3"))
			Expect(toldApart(ctx, list[1].Engine, err)).To(Equal("in 1.3"))
			Expect(isolated.Releases(wrap(tuned("")), "1.2", "1.3")).To(Equal(list))
			Expect(isolated.Releases(tuned(""), "1.2")).To(HaveExactElements(
				HaveField("Engine", isolated.Engine(tuned("in 1.2")))))
			_, err = isolated.Releases(fake.Engine(), "1.2")
			Expect(err).To(MatchError(ContainSubstring("has no releases to choose from")))
		},
		"Streams": func(ctx context.Context) {
			e, err := can.Streams(2)
			Expect(toldApart(ctx, e, err)).To(Equal("2 streams"))
		},
		"Profiles": func(ctx context.Context) {
			e := can.Profiles(make([]backends.Profile, 2), 1)
			Expect(toldApart(ctx, e, nil)).To(Equal("profile 1 of 2"))
		},
		"Profile": func(context.Context) {
			p, ok, err := can.Profile()
			Expect(err).NotTo(HaveOccurred())
			Expect(ok).To(BeTrue())
			Expect(p.Min).To(HaveKeyWithValue("minuend", tensor.Shape{1, 3}))
		},
		"MarkAll": func(ctx context.Context) {
			e, err := can.MarkAll()
			Expect(toldApart(ctx, e, err)).To(Equal("marked"))
		},
		"Rebuild": func(ctx context.Context) {
			before := forgotten
			e, choices, forget, err := can.Rebuild()
			Expect(toldApart(ctx, e, err)).To(Equal("rebuilt"))
			Expect(choices()).To(Equal(map[string]string{"layer": "kernel"}))
			forget()
			Expect(forgotten).To(Equal(before + 1))
		},
		"Layers": func(ctx context.Context) {
			Expect(can.Layers(ctx, difference())).To(Equal([]string{"net.onnx"}))
		},
		"NodeLayers": func(ctx context.Context) {
			Expect(can.NodeLayers(ctx, difference())).To(Equal([][]string{{"net.onnx"}}))
		},
		"Raise": func(ctx context.Context) {
			e, err := can.Raise([]string{"a", "b"}, tensor.Float32)
			Expect(toldApart(ctx, e, err)).To(Equal("[a b] in float32"))
		},
		"Save": func(ctx context.Context) {
			Expect(toldApart(ctx, can.Save("net.plan"), nil)).To(Equal("to net.plan"))
		},
		"Log": func(ctx context.Context) {
			log := gbytes.NewBuffer()
			Expect(toldApart(ctx, can.Log(log, true), nil)).To(BeEmpty())
			Eventually(log).Should(gbytes.Say("tuned: verbose true in "))
			Expect(string(log.Contents())).NotTo(ContainSubstring("in %d\n", os.Getpid()))
		},
		"Parts": func(ctx context.Context) {
			e, forget, err := can.Parts(ctx, difference(), iterations(2))
			Expect(toldApart(ctx, e, err)).To(HavePrefix("parts of net.onnx on "))
			forget()
		},
		"Caution": func(context.Context) {
			Expect(can.Caution()).To(HavePrefix(
				"It is a stand-in. Each part runs in its own process, so the parts share timings"))
		},
		"Reweigh": func(ctx context.Context) {
			outputs, err := can.Reweigh(ctx, difference(), iterations(1),
				func(loaders.Constant) (*tensor.Tensor, error) { return nil, nil })
			Expect(err).NotTo(HaveOccurred())
			Expect(outputs).To(HaveLen(1))
		},
		"Unshared": func(ctx context.Context) {
			Expect(toldApart(ctx, can.Unshared(), nil)).To(Equal("alone"))
		},
		"Reference": func(ctx context.Context) {
			Expect(toldApart(ctx, can.Reference(tuned("plain")), nil)).To(Equal("plain, driven"))
		},
		"Computed": func(ctx context.Context) {
			Expect(can.Computed(ctx, difference())).To(And(HavePrefix("told in "),
				Not(Equal(fmt.Sprintf("told in %d", os.Getpid())))))
		},
		"Passes": func(ctx context.Context) {
			names, optimised, err := can.Passes(ctx, difference())
			Expect(err).NotTo(HaveOccurred())
			Expect(names).To(HaveExactElements(And(HavePrefix("fold in "),
				Not(Equal(fmt.Sprintf("fold in %d", os.Getpid()))))))
			same, err := optimised.SHA256()
			Expect(err).NotTo(HaveOccurred())
			Expect(difference().SHA256()).To(Equal(same))
		},
		"WithoutPasses": func(ctx context.Context) {
			Expect(toldApart(ctx, can.WithoutPasses([]string{"a", "b"}), nil)).To(Equal("without [a b]"))
		},
		"Chain":      func(context.Context) { Expect(can.Chain("MatMul")).To(Equal(6)) },
		"Neighborly": func(context.Context) { Expect(can.Neighborly).To(BeNil()) },
		"RunWithTensors": func(ctx context.Context) {
			b, err := wrap(tuned("")).Open(ctx, difference(), iterations(1))
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(b.Close)
			run, err := can.RunWithTensors(ctx, b, iterations(2), []string{"a", "b"})
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Len()).To(Equal(2))
			Expect(run.Provenance.Options).To(HaveKeyWithValue("told", "shows [a b]"))
			Expect(run.Provenance.Options["pid"]).NotTo(Equal(strconv.Itoa(os.Getpid())))
		},
		"Loop": func(ctx context.Context) {
			b, err := wrap(tuned("")).Open(ctx, difference(), iterations(1))
			Expect(err).NotTo(HaveOccurred())
			large := tensor.Of(make([]float32, 1<<16)...) // more than a pipe holds
			l, err := can.Loop(b)
			Expect(err).NotTo(HaveOccurred())
			other, err := can.Loop(b)
			Expect(err).NotTo(HaveOccurred())
			given, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: large})
			Expect(err).NotTo(HaveOccurred())
			none, err := tensor.NewSet()
			Expect(err).NotTo(HaveOccurred())
			Expect(l.Step(ctx, given, nil, map[string]string{"x": "past"})).To(Equal(none))
			set, err := l.Step(ctx, none, []string{"past"}, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(set.At(0).Tensor.Identical(large)).To(BeTrue())
			elem, shape, err := l.Kept("past")
			Expect(err).NotTo(HaveOccurred())
			Expect(elem).To(Equal(tensor.Float32))
			Expect(shape).To(Equal(tensor.Shape{1 << 16}))
			Expect(l.Provenance().Options["pid"]).NotTo(Equal(strconv.Itoa(os.Getpid())))
			_, err = other.Read("past")
			Expect(err).To(MatchError(ContainSubstring("nothing is kept for past")))
			Expect(can.Rewind(l, 7)).To(Succeed())
			Expect(l.Read("past")).To(Equal(tensor.Of[float32](7)))
			Expect(l.Close()).To(Succeed())
			Expect(l.Close()).To(Succeed())
			Expect(b.Close()).To(Succeed())
			_, err = other.Step(ctx, none, nil, nil)
			Expect(err).To(MatchError(backends.ErrClosed))
		},
		"Rewind": func(ctx context.Context) { // see Loop; and a crash loses what is kept
			b, err := wrap(tuned("")).Open(ctx, difference(), iterations(1))
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(b.Close)
			l, err := can.Loop(b)
			Expect(err).NotTo(HaveOccurred())
			none, err := tensor.NewSet()
			Expect(err).NotTo(HaveOccurred())
			Expect(can.Rewind(l, 0)).To(Succeed())
			_, err = l.Step(ctx, none, []string{"crash"}, nil)
			Expect(err).To(BeAssignableToTypeOf(&isolated.Crash{}))
			Expect(can.Rewind(l, 0)).To(MatchError(HaveSuffix(
				"the process that held the loop's state has ended; start a new loop")))
			Expect(l.Close()).To(Succeed())
			_, err = b.Run(ctx, iterations(1)) // in another process
			Expect(err).NotTo(HaveOccurred())
		},
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[backends.Capabilities]()) {
		It("works: "+field.Name, func(ctx SpecContext) {
			Expect(checks).To(HaveKey(field.Name))
			checks[field.Name](ctx)
		})
	}
}

var _ = Describe("An engine in a process of its own", func() {
	It("gives what ONNX Runtime gives of other constants", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		value := func(name string) onnxtest.Value {
			return onnxtest.Value{Name: name, Elem: 1, Dims: []any{3}}
		}
		model := loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Add", In: []string{"x", "c"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{value("x")},
			Outputs: []onnxtest.Value{value("y")},
			Initializers: []onnxtest.Tensor{{Name: "c", Type: 1, Dims: []int64{3},
				Raw: tensor.Of[float32](1, 2, 3).Bytes()}}}}.Bytes())
		inputs := fixtures.Random(model, fixtures.Seed(1))
		other := func(loaders.Constant) (*tensor.Tensor, error) {
			return tensor.Of[float32](4, 5, 6), nil
		}
		here, err := backends.RunReweighed(ctx, ort.Engine(), model, inputs, other)
		Expect(err).NotTo(HaveOccurred())
		Expect(backends.RunReweighed(ctx, isolated.Engine(ort.Engine()), model, inputs, other)).To(
			Equal(here))
	})
})
