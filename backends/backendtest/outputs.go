package backendtest

import (
	"context"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// outputSpecs check the results of a run.
var outputSpecs = []Spec{
	{Name: "gives the outputs that the model declares, by name and in order", check: givesOutputs},
	{Name: "takes inputs by name, in any order", check: opened(takesAnyOrder)},
	{Name: "runs every iteration, in order", check: runsIterations},
	{Name: "takes different shapes from run to run", check: takesShapes},
	{Name: "runs a model that has no inputs", check: runsWithoutInputs},
	{Name: "records how each run was made, so that it can be repeated", check: saysItself},
	{Name: "repeats its outputs bit for bit", check: givesSameAgain},
	{Name: "gives outputs that later runs do not change", check: givesOwnOutputs},
	{Name: "does not change its inputs", check: leavesInputs},
}

func givesOutputs(ctx context.Context, t backends.T, s subject) {
	inputs := subtraction(2, 1.5)
	b := open(ctx, t, s, arithmetic(), inputs)
	defer closed(t, b)
	expectOutputs(t, run(ctx, t, b, inputs), differences(2, 1.5)...)
}

func takesAnyOrder(ctx context.Context, t backends.T, _ subject, b backends.Backend) {
	for _, inputs := range []fixtures.Inputs{feed("minuend", rows(1, 5), "subtrahend", rows(1, 1)),
		feed("subtrahend", rows(1, 1), "minuend", rows(1, 5))} {
		expectOutputs(t, run(ctx, t, b, inputs), differences(1, 4)...)
	}
}

func runsIterations(ctx context.Context, t backends.T, s subject) {
	var sets []*tensor.Set
	for i := range 4 {
		sets = append(sets, set("minuend", rows(1, float32(i+1)), "subtrahend", rows(1, 0)))
	}
	inputs := fixtures.Of(sets...)
	b := open(ctx, t, s, arithmetic(), inputs)
	defer closed(t, b)
	result, err := b.Run(ctx, inputs)
	must(t, "running", err)
	if result.Len() != len(sets) {
		t.Fatalf("%d iterations, expected %d", result.Len(), len(sets))
	}
	for i, iteration := range result.Iterations() {
		expectOutputs(t, iteration.Outputs, differences(1, float32(i+1))...)
	}
}

func takesShapes(ctx context.Context, t backends.T, s subject) {
	b := open(ctx, t, s, arithmetic(), subtraction(2, 1))
	defer closed(t, b)
	for i, n := range []int{2, 5, 1, 2, 17} {
		d := float32(i + 1)
		expectOutputs(t, run(ctx, t, b, subtraction(n, d)), differences(n, d)...)
	}
}

func runsWithoutInputs(ctx context.Context, t backends.T, s subject) {
	b := open(ctx, t, s, constant(), feed())
	defer closed(t, b)
	expectOutputs(t, run(ctx, t, b, feed()), "y", tensor.Of[float32](1, 2, 3))
}

func saysItself(ctx context.Context, t backends.T, s subject) {
	model, inputs := arithmetic(), subtraction(1, 2)
	b := open(ctx, t, s, model, inputs)
	defer closed(t, b)
	result, err := b.Run(ctx, inputs)
	must(t, "running", err)
	p := result.Provenance
	if p.Backend == "" || p.Inputs == "" || p.InputsSHA256 == "" {
		t.Fatalf("the provenance lacks the backend or the inputs: %+v", p)
	}
	if !s.loose && (p.Version == "" || p.Model != model.Name() || p.ModelSHA256 == "") {
		t.Fatalf("the provenance lacks the version or the model: %+v", p)
	}
	next, err := b.Run(ctx, inputs)
	must(t, "running again", err)
	if q := next.Provenance; q.Backend != p.Backend || q.Version != p.Version ||
		q.Model != p.Model || q.ModelSHA256 != p.ModelSHA256 {
		t.Fatalf("two runs of one backend have different provenance: %s %s of %s, and %s %s of %s",
			p.Backend, p.Version, p.Model, q.Backend, q.Version, q.Model)
	}
	for name, value := range p.Options {
		if strings.HasPrefix(value, "/") {
			t.Fatalf("the provenance contains a path on this machine: %s=%s", name, value)
		}
	}
	of := result.Subject()
	must(t, "the run's subject", of.Repeatable())
	if !equal(t, of.Engine, s.engine) || of.Model != model {
		t.Fatalf("the run's subject has engine %v and model %v, not the ones that were "+
			"opened", of.Engine, of.Model)
	}
	again, err := of.Engine.Open(ctx, of.Model, of.Inputs)
	must(t, "opening the subject", err)
	defer closed(t, again)
	expectOutputs(t, run(ctx, t, again, of.Inputs), differences(1, 2)...)
}

func givesSameAgain(ctx context.Context, t backends.T, s subject) {
	inputs := feed("x", spread(5))
	s.engine = backends.Unshared(s.engine)
	var first *tensor.Set
	for range 3 {
		b := open(ctx, t, s, layers(), inputs)
		for range 5 {
			got := run(ctx, t, b, inputs)
			if first == nil {
				first = got
			}
			y, _ := first.Get("y")
			expectOutputs(t, got, "y", y)
		}
		closed(t, b)
	}
}

// spread returns a float32[n,width] tensor of scattered values between −0.5 and 0.5.
func spread(n int) *tensor.Tensor {
	values := make([]float32, n*width)
	for i := range values {
		values[i] = float32(i*6007%997)/997 - 0.5
	}
	return made(tensor.New(tensor.Shape{n, width}, values))
}

func givesOwnOutputs(ctx context.Context, t backends.T, s subject) {
	b := open(ctx, t, s, arithmetic(), subtraction(2, 1))
	first := run(ctx, t, b, subtraction(2, 1))
	for d := range 5 {
		run(ctx, t, b, subtraction(2, float32(d)))
	}
	expectOutputs(t, first, differences(2, 1)...)
	closed(t, b)
	expectOutputs(t, first, differences(2, 1)...)
}

func leavesInputs(ctx context.Context, t backends.T, s subject) {
	x := spread(4)
	before := string(x.Bytes())
	b := open(ctx, t, s, layers(), feed("x", x))
	defer closed(t, b)
	run(ctx, t, b, feed("x", x))
	if before != string(x.Bytes()) {
		t.Fatalf("the run changed its input")
	}
}
