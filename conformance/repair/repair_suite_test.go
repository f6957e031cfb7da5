// Package repair_test compares how many nodes must stay in float32 according to precision.Repair
// and according to the prefix and suffix searches of Polygraphy's `debug precision`. By default it
// uses small models; `make repair` adds ONNX's nine CNN topologies and writes the table of
// docs/evidence/repair.md.
package repair_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// pageVariable names the environment variable for the page with the table.
const pageVariable = "MODELPARITY_REPAIR_PAGE"

var _ = skips.Announce("trt is missing", "a GPU")

func TestRepair(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "repair")
}

// subject is a model with its inputs.
type subject struct {
	name   string
	open   func() (*loaders.Model, fixtures.Inputs)
	linear bool // small enough to try every number of layers
	parts  []float64
}

// parts are the tolerances relative to the error of the model entirely in FP16.
var parts = []float64{0.7, 0.5, 0.3}

func subjects() []subject {
	wheel := os.Getenv(cnn.WheelVariable)
	whole, some := wheel != "", parts
	if !whole {
		some = parts[1:2]
	}
	file := func(name, path string, options ...fixtures.Option) subject {
		return subject{name, func() (*loaders.Model, fixtures.Inputs) {
			model := loaders.ONNX(path)
			return model, fixtures.Random(model, append(options, fixtures.Seed(3))...)
		}, whole, some}
	}
	all := []subject{
		file("digits", "../../example_test/digits/testdata/digits.onnx",
			fixtures.Shape("image", 4, 1, 8, 8), fixtures.Iterations(2)),
		file("encoder", "../../example_test/dynamic/testdata/encoder.onnx",
			fixtures.Shape("tokens", 3, 7), fixtures.ValRange(0, 63), fixtures.Iterations(2)),
		{"decoder (GPT-2)", decoder, false, some},
	}
	if whole {
		names := cnn.Names() // the fast ones first
		heavy := []string{"inception_v1", "inception_v2", "resnet50", "zfnet512", "bvlc_alexnet",
			"vgg19", "densenet121"}
		slices.SortStableFunc(names, func(a, b string) int {
			return slices.Index(heavy, a) - slices.Index(heavy, b)
		})
		for _, name := range names {
			tried := parts
			if slices.Contains(heavy, name) {
				tried = parts[1:2]
			}
			all = append(all, subject{name, func() (*loaders.Model, fixtures.Inputs) {
				return network(wheel, name)
			}, false, tried})
		}
	}
	return all
}

// network returns one of the nine networks, up to its logits.
func network(wheel, name string) (*loaders.Model, fixtures.Inputs) {
	GinkgoHelper()
	topology, err := cnn.Read(wheel, name)
	Expect(err).NotTo(HaveOccurred())
	n, err := topology.Network()
	Expect(err).NotTo(HaveOccurred())
	data, err := n.Model()
	Expect(err).NotTo(HaveOccurred())
	model, err := loaders.ONNXBytes(name+".onnx", data).Cut(nil,
		[]loaders.Value{{Name: n.Logits(), Type: tensor.Float32}})
	Expect(err).NotTo(HaveOccurred())
	return model, fixtures.Random(model, fixtures.Seed(3), fixtures.ValRange(-1, 1))
}

// decoder is a language model with five tokens after a past of three.
func decoder() (*loaders.Model, fixtures.Inputs) {
	GinkgoHelper()
	model := loaders.ONNX("../../decode/testdata/gpt2.onnx")
	inputs, err := model.Inputs()
	Expect(err).NotTo(HaveOccurred())
	options := []fixtures.Option{fixtures.Seed(3)}
	for _, v := range inputs {
		shape := make([]int, len(v.Dims))
		for i, d := range v.Dims {
			if shape[i] = d.Size; d.Dynamic() {
				shape[i] = map[string]int{"batch": 1, "sequence": 5, "past": 3, "total": 8}[d.Symbol]
			}
		}
		options = append(options, fixtures.Shape(v.Name, shape...))
		switch v.Name {
		case "attention_mask":
			options = append(options, fixtures.ValRangeFor(v.Name, 1, 1))
		case "input_ids", "position_ids":
			options = append(options, fixtures.ValRangeFor(v.Name, 0, 7))
		default:
			options = append(options, fixtures.ValRangeFor(v.Name, -1, 1))
		}
	}
	return model, fixtures.Random(model, options...)
}

var _ = Describe("A model in FP16", Ordered, ContinueOnFailure, func() {
	var rows []string
	BeforeAll(func() { ort.Require(GinkgoT()) })

	for _, s := range subjects() {
		It("is repaired with no more nodes than others keep: "+s.name, func(ctx SpecContext) {
			model, inputs := s.open()
			where := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
			plain := plainError(ctx, where)
			state := GinkgoT().TempDir() + "/state.json" // shared by all tolerances
			for _, part := range s.parts {
				rule := compare.Options{Checks: []compare.Check{
					compare.Within(part*plain, 0, compare.Elementwise)}}
				begin := time.Now()
				found, err := precision.Repair{Format: precision.FP16, Rule: rule, State: state,
					Progress: func(line string) { GinkgoWriter.Println(line) }}.Find(ctx, where)
				Expect(err).NotTo(HaveOccurred())
				// The others get what the search had: its inputs and, as these are few, 0.8 of the tolerance.
				others := where
				others.Inputs = found.Inputs()
				row := s.compared(ctx, part, found, others, compare.Options{Checks: []compare.Check{
					compare.Within(0.8*part*plain, 0, compare.Elementwise)}})
				rows = append(rows, row)
				fmt.Println("ROW", row, time.Since(begin).Round(time.Second))
				Expect(publish(rows)).To(Succeed())
				Expect(found.Guided).To(BeNumerically("<=", found.Nodes+10))
				report, err := found.Holds(ctx)
				Expect(err).NotTo(HaveOccurred())
				Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
			}
		}, SpecTimeout(time.Hour))
	}
})

// plainError is the greatest error with everything rounded or, if that is not finite, a thousandth
// of the greatest output.
func plainError(ctx SpecContext, s backends.Subject) float64 {
	GinkgoHelper()
	exact, err := backends.RunIn(ctx, s.Engine, s.Model, s.Inputs)
	Expect(err).NotTo(HaveOccurred())
	model, err := precision.Round(ctx, s, precision.FP16)
	Expect(err).NotTo(HaveOccurred())
	rounded, err := backends.RunIn(ctx, s.Engine, model, s.Inputs)
	Expect(err).NotTo(HaveOccurred())
	most, greatest := 0.0, 0.0
	for i, set := range rounded.Outputs() {
		for name, t := range set.All() {
			e, _ := exact.Outputs()[i].Get(name)
			for k := range t.Len() {
				most = math.Max(most, math.Abs(t.Float64At(k)-e.Float64At(k)))
				greatest = math.Max(greatest, math.Abs(e.Float64At(k)))
			}
		}
	}
	if most-most != 0 {
		most = greatest / 1000
	}
	return most
}

// compared returns a row of the table, and compares our result with the others'.
func (s subject) compared(ctx SpecContext, part float64, found *precision.Repaired,
	where backends.Subject, rule compare.Options) string {
	GinkgoHelper()
	cells := []string{s.name, fmt.Sprintf("×%g", part), fmt.Sprint(found.Nodes), fmt.Sprint(found.Of),
		fmt.Sprintf("**%d**", found.Computing), fmt.Sprint(found.Runs)}
	take := func(passes bool, computing, runs int) {
		GinkgoHelper()
		if !passes {
			cells = append(cells, fmt.Sprintf("none (%d)", runs))
			return
		}
		cells = append(cells, fmt.Sprintf("%d (%d)", computing, runs))
		Expect(found.Computing).To(BeNumerically("<=", computing))
	}
	for _, linear := range []bool{false, true} {
		for _, reverse := range []bool{false, true} {
			if linear && !s.linear {
				cells = append(cells, "")
				continue
			}
			marked, err := precision.Layers{Linear: linear, Reverse: reverse, Format: precision.FP16,
				Rule: rule}.Find(ctx, []backends.Subject{where})
			Expect(err).NotTo(HaveOccurred())
			take(marked.Found, len(marked.Names), marked.Steps)
		}
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// These lines enclose the table in the page.
const (
	begins = "<!-- table: make repair -->\n"
	ends   = "<!-- end of table -->\n"
	head   = "| model | allowed | nodes | compute | kept | runs | bisect forward | reverse | " +
		"linear forward | reverse |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
)

// publish writes the table into the page named by the environment.
func publish(rows []string) error {
	path := os.Getenv(pageVariable)
	if path == "" {
		return nil
	}
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(page), begins)
	_, after, closed := strings.Cut(rest, ends)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the table", path)
	}
	return wholefile.WriteBytes(path, []byte(before+begins+head+strings.Join(rows, "\n")+"\n"+ends+
		after))
}
