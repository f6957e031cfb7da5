package tolerances_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/cnn"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// timeout limits the time for one model; vgg19 has 144 million weights.
const timeout = 30 * time.Minute

// fieldVariable names the environment variable for the folder of the field suite's models from
// `make field`.
const fieldVariable = "MODELPARITY_FIELD"

// Environment variables: modelsVariable lists folders of models that make/make_models.py writes;
// onlyVariable is a regular expression of the models to take.
const (
	modelsVariable = "MODELPARITY_TOLERANCES_MODELS"
	onlyVariable   = "MODELPARITY_TOLERANCES_ONLY"
)

// subject is a model with several inputs.
type subject struct {
	name  string
	open  func() (*loaders.Model, fixtures.Inputs)
	every int // plant every n-th factor of faults; 0 plants all
	// rewritten are files of the same model in other forms by its exporter or a tool. Their input and
	// output names and precision are the same.
	rewritten []string
	// rewrittenLevels are those at which ONNX Runtime runs them; nil means as it is.
	rewrittenLevels []ort.Level
	// reference configures ONNX Runtime for the expected run.
	reference []ort.Option
	levels    []ort.Level // of ONNX Runtime under test; nil means all
	// generated is set for what make/make_models.py writes; folder has its files.
	generated bool
	folder    string
	// wrong is an engine that computes this model in lower precision, and whose run is a fault; how
	// says in which one.
	wrong backends.Engine
	how   string
}

// subjects returns all available models: the examples', and those named by the environment.
func subjects() []subject {
	all := []subject{
		{name: "digits", open: func() (*loaders.Model, fixtures.Inputs) {
			model := loaders.ONNX("../../example_test/digits/testdata/digits.onnx")
			return model, fixtures.Random(model, fixtures.Shape("image", 4, 1, 8, 8),
				fixtures.Iterations(20))
		}},
		{name: "encoder", open: func() (*loaders.Model, fixtures.Inputs) {
			model := loaders.ONNX("../../example_test/dynamic/testdata/encoder.onnx")
			return model, fixtures.Random(model, fixtures.Shape("tokens", 3, 7),
				fixtures.ValRange(0, 63), fixtures.Iterations(20))
		}},
	}
	if folder := os.Getenv(fieldVariable); folder != "" {
		all = append(all, fieldSubjects(folder)...)
	}
	for _, folder := range filepath.SplitList(os.Getenv(modelsVariable)) {
		all = append(all, generatedSubjects(folder)...)
	}
	if wheel := os.Getenv(cnn.WheelVariable); wheel != "" {
		names := cnn.Names() // the fast ones first
		heavy := []string{"densenet121", "zfnet512", "bvlc_alexnet", "vgg19"}
		slices.SortStableFunc(names, func(a, b string) int {
			return slices.Index(heavy, a) - slices.Index(heavy, b)
		})
		for _, name := range names {
			all = append(all, cnnSubject(wheel, name, slices.Contains(heavy, name)))
		}
	}
	if only := os.Getenv(onlyVariable); only != "" {
		pattern := regexp.MustCompile(only)
		all = slices.DeleteFunc(all, func(s subject) bool { return !pattern.MatchString(s.name) })
	}
	return all
}

// generatedSubjects returns the models that make/make_models.py wrote.
func generatedSubjects(folder string) []subject {
	var all []subject
	made, _ := filepath.Glob(filepath.Join(folder, "*", ".made"))
	for _, file := range made {
		folder := filepath.Dir(file)
		s := subject{name: filepath.Base(folder), every: 4, generated: true, folder: folder,
			reference:       []ort.Option{ort.OptimizationLevel(ort.OptimizeNone), ort.Threads(1)},
			levels:          []ort.Level{ort.OptimizeNone, ort.OptimizeAll},
			rewrittenLevels: []ort.Level{ort.OptimizeNone, ort.OptimizeAll},
			open: func() (*loaders.Model, fixtures.Inputs) {
				return loaders.ONNX(filepath.Join(folder, "model.onnx")),
					fixtures.Load(filepath.Join(folder, "inputs.npz"))
			}}
		switch {
		case strings.HasPrefix(s.name, "weightonly"):
			s.wrong, s.how = ort.Engine(ort.AccuracyLevel(ort.AccuracyInt8)), "activations in int8"
		case s.name == "double_mlp" && enginetest.Has("openvino", openvino.Available()):
			s.wrong, s.how = openvino.Engine(), "float64 in float32"
		}
		for _, pattern := range []string{"form-*.onnx", "seed-*.onnx"} {
			files, _ := filepath.Glob(filepath.Join(folder, pattern))
			s.rewritten = append(s.rewritten, files...)
		}
		all = append(all, s)
	}
	return all
}

// exported are the file names of exporters' original models in the field suite.
var exported = []string{"torchscript", "dynamo", "tensor", "columns", "tf2onnx"}

// lowered are the name suffixes of models in lower precision. These compute different numbers and
// are subjects of their own.
var lowered = []string{"fp16", "qdq", "qoperator", "dynamic"}

// fieldSubjects returns the field suite's models, with lower-precision models last.
func fieldSubjects(folder string) []subject {
	var all, lower []subject
	files, _ := filepath.Glob(filepath.Join(folder, "*", "*.onnx"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".onnx")
		exporter, rewriter, rewritten := strings.Cut(name, "_")
		switch {
		case !slices.Contains(exported, exporter):
		case !rewritten:
			all = append(all, fieldSubject(file))
		case slices.Contains(lowered, rewriter):
			lower = append(lower, fieldSubject(file))
		default:
			last := &all[len(all)-1] // Glob sorts, so an original precedes its variants
			last.rewritten = append(last.rewritten, file)
		}
	}
	return append(all, lower...)
}

func fieldSubject(file string) subject {
	name := filepath.Base(filepath.Dir(file)) + " " + strings.TrimSuffix(filepath.Base(file), ".onnx")
	return subject{name: name, every: 2, open: func() (*loaders.Model, fixtures.Inputs) {
		GinkgoHelper()
		inputs := fixtures.Load(filepath.Join(filepath.Dir(file), "inputs.npz"))
		var sets []*tensor.Set
		for set, err := range inputs.All() {
			Expect(err).NotTo(HaveOccurred())
			for k := range 5 {
				sets = append(sets, rotated(set, k))
			}
		}
		return loaders.ONNX(file), fixtures.Of(sets...)
	}}
}

// rotated rotates the elements of each tensor, which gives other valid inputs.
func rotated(set *tensor.Set, by int) *tensor.Set {
	GinkgoHelper()
	var entries []tensor.Entry
	for name, t := range set.All() {
		if t.ElementType() != tensor.String && t.Len() > by {
			size := t.ElementType().Bits() / 8 * by
			data := t.Bytes()
			moved, err := tensor.FromBytes(t.ElementType(), t.Shape(),
				slices.Concat(data[size:], data[:size]))
			Expect(err).NotTo(HaveOccurred())
			t = moved
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	moved, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return moved
}

func cnnSubject(wheel, name string, heavy bool) subject {
	return subject{name: name, every: 4, open: func() (*loaders.Model, fixtures.Inputs) {
		GinkgoHelper()
		topology, err := cnn.Read(wheel, name)
		Expect(err).NotTo(HaveOccurred())
		network, err := topology.Network()
		Expect(err).NotTo(HaveOccurred())
		data, err := network.Model()
		Expect(err).NotTo(HaveOccurred())
		// Stop at the logits: with random weights the softmax is 0 or 1 almost everywhere.
		model, err := loaders.ONNXBytes(name+".onnx", data).Cut(nil,
			[]loaders.Value{{Name: network.Logits(), Type: tensor.Float32}})
		Expect(err).NotTo(HaveOccurred())
		iterations := 6
		if heavy {
			iterations = 3
		}
		return model, fixtures.Random(model, fixtures.Seed(3), fixtures.ValRange(-1, 1),
			fixtures.Iterations(iterations))
	}}
}
