package field_test

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// folderVariable names the environment variable for the folder filled by make/make.py. Without it,
// the suite uses the digest in testdata.
const folderVariable = "MODELPARITY_FIELD"

// pair is two equivalent models and their makers.
type pair struct {
	Family string `json:"family"`
	A      string `json:"a"`
	B      string `json:"b"`
	// Makers is "one" if one exporter made both, "rewritten" if a tool made one from the other, and
	// "two" if two exporters made them.
	Makers string `json:"makers"`
	// Types means that the models compute in different element types.
	Types  bool `json:"types"`
	Digest bool `json:"digest"`
}

func (p pair) String() string {
	if p.Makers == trained {
		return p.Family
	}
	return p.Family + ": " + p.A + " | " + p.B
}

//go:embed pairs.json
var pairsFile []byte

//go:embed seeds.json
var seedsFile []byte

// pairsAndSeeds returns the digest's, or all if models were made.
func pairsAndSeeds() (pairs []pair, seeds []uint64, err error) {
	var s struct{ Digest, Whole []uint64 }
	err = errors.Join(json.Unmarshal(pairsFile, &pairs), json.Unmarshal(seedsFile, &s))
	if err != nil {
		return nil, nil, err
	}
	if os.Getenv(folderVariable) != "" {
		return pairs, s.Whole, nil
	}
	var digest []pair
	for _, p := range pairs {
		if p.Digest {
			digest = append(digest, p)
		}
	}
	return digest, s.Digest, nil
}

// trainedVariable names the environment variable for the folder of `make trained`'s networks.
const trainedVariable = "MODELPARITY_TRAINED"

// folder is the location of a family's models.
func folder(family string) string {
	if trained := os.Getenv(trainedVariable); trained != "" {
		return trained
	}
	if made := os.Getenv(folderVariable); made != "" {
		return filepath.Join(made, family)
	}
	return filepath.Join("testdata", family)
}

func (p pair) inputsFile() string {
	if p.Makers == trained {
		return filepath.Join(folder(p.Family), p.Family+".npz")
	}
	return filepath.Join(folder(p.Family), "inputs.npz")
}

// read reads a variant of a family.
func read(family, variant string) ([]byte, error) {
	path := filepath.Join(folder(family), variant+".onnx")
	data, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	packed, err := os.Open(path + ".gz")
	if err != nil {
		return nil, err
	}
	defer packed.Close() //nolint:errcheck // opened only for reading
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unpacked)
}

// bench is a pair with the results of its unchanged models.
type bench struct {
	pair
	a, b     []byte
	inputs   fixtures.Inputs
	expected []*tensor.Set     // outputs of b
	healthy  float64           // distance of a from b
	like     map[string]string // type and shape of a's tensors
	byNoise  bool              // locate without a tolerance
	right    backends.Engine   // runs b
}

// open reads a pair and runs both models.
func open(ctx context.Context, p pair) (b *bench, err error) {
	b = &bench{pair: p, right: ort.Engine(), inputs: fixtures.Load(p.inputsFile())}
	if p.Makers == trained {
		b.right = ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))
	}
	if b.a, err = read(p.Family, p.A); err != nil {
		return nil, err
	}
	if b.b, err = read(p.Family, p.B); err != nil {
		return nil, err
	}
	run, err := backends.RunIn(ctx, b.right, loaders.ONNXBytes(p.B, b.b), b.inputs)
	if err != nil {
		return nil, err
	}
	b.expected = run.Outputs()
	if b.healthy, err = b.distance(ctx, b.a); err != nil {
		return nil, err
	}
	b.like, err = typesOf(ctx, loaders.ONNXBytes(p.A, b.a), b.inputs)
	return b, err
}

// typesOf returns the type and the shape of each tensor of a model.
func typesOf(ctx context.Context, model *loaders.Model, inputs fixtures.Inputs) (
	map[string]string, error) {
	nodes, err := model.Nodes()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, n := range nodes {
		for _, name := range n.Outputs {
			if name != "" && n.Op != "ZipMap" {
				names = append(names, name)
			}
		}
	}
	marked, err := model.Mark(names...)
	if err != nil {
		return nil, err
	}
	run, err := ort.Run(ctx, marked, inputs, ort.OptimizationLevel(ort.OptimizeNone))
	if err != nil {
		return nil, err
	}
	like := map[string]string{}
	sets := run.Outputs()
	for name, t := range sets[0].All() {
		like[name] = fmt.Sprint(t.ElementType(), t.Shape())
	}
	subject := run.Subject()
	drawn, err := subject.Draw()
	if err != nil {
		return nil, err
	}
	for name, t := range drawn[0].All() {
		like[name] = fmt.Sprint(t.ElementType(), t.Shape())
	}
	return like, nil
}

// distance is the greatest |actual − expected| / (1 + |expected|) of the outputs. It equals the
// atol and rtol of the elementwise rule that the outputs just pass.
func (b *bench) distance(ctx context.Context, data []byte) (float64, error) {
	run, err := ort.Run(ctx, loaders.ONNXBytes("a", data), b.inputs)
	if err != nil {
		return 0, err
	}
	greatest := 0.0
	actual := run.Outputs()[0]
	for name, e := range b.expected[0].All() {
		a, ok := actual.Get(name)
		if !ok || !a.Shape().Equal(e.Shape()) {
			return math.Inf(1), nil
		}
		for i := range e.Len() {
			if e.ElementType() == tensor.String {
				if a.Text(i) != e.Text(i) {
					return math.Inf(1), nil
				}
				continue
			}
			want, got := e.Float64At(i), a.Float64At(i)
			switch d := math.Abs(got-want) / (1 + math.Abs(want)); {
			case got == want, math.IsNaN(got) && math.IsNaN(want):
			case math.IsNaN(d):
				return math.Inf(1), nil
			default:
				greatest = max(greatest, d)
			}
		}
	}
	return greatest, nil
}

// shows is the distance from which a fault is visible: ten times the healthy distance, or if that
// is tiny, the usual rounding error of a model.
func (b *bench) shows() float64 { return max(10*b.healthy, 1e-5) }

// rule is a realistic rule for comparing the pair.
func (b *bench) rule() compare.Options {
	return compare.Options{InfinitiesEqual: true, NaNEqual: true,
		Checks: []compare.Check{compare.Within(b.shows(), b.shows(), compare.Elementwise)}}
}

func (b *bench) subject(name string, data []byte) backends.Subject {
	return backends.Subject{Engine: ort.Engine(), Model: loaders.ONNXBytes(name, data),
		Inputs: b.inputs}
}

// draws returns a fault's random source, seeded with the seed, the pair and the kind.
func draws(p pair, kind string, seed uint64) *rand.Rand {
	h := fnv.New64a()
	_, _ = io.Copy(h, bytes.NewBufferString(p.String()+" "+kind)) // writing to a hash cannot fail
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
