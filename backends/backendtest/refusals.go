package backendtest

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// refusalSpecs check errors: every error must be one line that names what is wrong.
func refusalSpecs(of subject) []Spec {
	if of.loose {
		return nil
	}
	wide := made(tensor.New(tensor.Shape{1, 4}, make([]float32, 4)))
	doubles := made(tensor.New(tensor.Shape{1, 3}, make([]float64, 3)))
	good := rows(1, 1)
	var specs []Spec
	for _, row := range []struct {
		what, name string
		inputs     fixtures.Inputs
	}{
		{"an input that is missing", "subtrahend", feed("minuend", good)},
		{"an input that the model does not have", "bystander",
			feed("minuend", good, "subtrahend", good, "bystander", good)},
		{"an input with a wrong name", "Subtrahend", feed("minuend", good, "Subtrahend", good)},
		{"an input of the wrong element type", "subtrahend",
			feed("minuend", good, "subtrahend", doubles)},
		{"an input of the wrong rank", "subtrahend",
			feed("minuend", good, "subtrahend", tensor.Of[float32](1, 2, 3))},
		{"an input with a wrong fixed dimension", "subtrahend",
			feed("minuend", good, "subtrahend", wide)},
	} {
		specs = append(specs, Spec{Name: "refuses " + row.what,
			check: refusesInputs(row.inputs, row.name)})
	}
	return append(specs, modelSpecs...)
}

func refusesInputs(inputs fixtures.Inputs, name string) check {
	return opened(func(ctx context.Context, t backends.T, s subject, b backends.Backend) {
		_, err := b.Run(ctx, inputs)
		s.oneLine(t, err, name)
		// The backend must still work.
		expectOutputs(t, run(ctx, t, b, subtraction(1, 2)), differences(1, 2)...)
	})
}

// modelSpecs check that models that cannot run are rejected.
var modelSpecs = []Spec{
	{Name: "refuses a model that is damaged", check: refusesDamaged},
	{Name: "refuses an operator that it does not know", check: refusesUnknown},
	{Name: "refuses to open without a model", check: refusesNoModel},
}

func refusesDamaged(ctx context.Context, t backends.T, s subject) {
	whole, err := arithmetic().Bytes()
	must(t, "the model", err)
	for name, data := range map[string][]byte{"cut.onnx": whole[:len(whole)/2], "empty.onnx": nil,
		"text.onnx": []byte("this is not a model\n")} {
		b, err := s.engine.Open(ctx, loaders.ONNXBytes(name, data), subtraction(1, 1))
		if err == nil {
			closed(t, b)
			t.Fatalf("%s was opened", name)
		}
		s.oneLine(t, err, name)
	}
	_, err = s.engine.Open(ctx, loaders.ONNX("backendtest-absent.onnx"), subtraction(1, 1))
	s.oneLine(t, err, "backendtest-absent.onnx")
}

func refusesUnknown(ctx context.Context, t backends.T, s subject) {
	b, err := s.engine.Open(ctx, unknown(), feed("x", tensor.Of[float32](1, 2)))
	if err == nil {
		closed(t, b)
	}
	s.oneLine(t, err, "Frobnicate")
}

// other is a model in a format that no engine supports.
type other struct{}

func (other) Name() string                     { return "other" }
func (other) Inputs() ([]loaders.Value, error) { return nil, nil }

func refusesNoModel(ctx context.Context, t backends.T, s subject) {
	for _, model := range []fixtures.Declaration{nil, (*loaders.Model)(nil), other{}} {
		b, err := s.engine.Open(ctx, model, feed())
		if err == nil {
			closed(t, b)
		}
		s.oneLine(t, err)
	}
}
