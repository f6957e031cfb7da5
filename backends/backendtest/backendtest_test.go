package backendtest_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// engine computes in Go what the specs' models compute, with one fault, or none.
type engine struct{ fault string }

func (e engine) Text() string     { return "plain " + e.fault }
func (e engine) String() string   { return "plain" }
func (e engine) GoString() string { return "plain.Engine()" }

// backend is a model in engine.
type backend struct {
	engine
	model  *loaders.Model
	inputs []loaders.Value
	closed atomic.Bool

	mu   sync.Mutex
	last *tensor.Set
	kept [][]byte
}

// kept is what the engine that keeps memory keeps.
var kept [][]byte

func (e engine) Open(ctx context.Context, declared fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	model, err := backends.ONNX("plain", declared)
	if err != nil {
		return nil, err
	}
	if e.fault == "keeps backends" {
		kept = append(kept, touched(100<<10))
	}
	if e.fault == "keeps processes" {
		sleeper := exec.CommandContext(ctx, "sleep", "60") // ended with the spec
		if err := sleeper.Start(); err != nil {
			return nil, err
		}
		go func() { _ = sleeper.Wait() }()
	}
	if e.fault == "keeps goroutines" {
		go func() { <-context.Background().Done() }()
	}
	b := &backend{engine: e, model: model}
	if b.inputs, err = model.Inputs(); err != nil {
		if e.fault == "takes damaged models" {
			return b, nil
		}
		if e.fault == "logs" {
			return nil, fmt.Errorf("refused\n\t%w", err)
		}
		return nil, err
	}
	nodes, err := model.Nodes()
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if n.Op == "Frobnicate" && e.fault != "takes any operator" {
			if e.fault == "logs" {
				return nil, fmt.Errorf("%s: unknown operator %s\n\tlog", model.Name(), n.Op)
			}
			return nil, fmt.Errorf("%s: unknown operator %s", model.Name(), n.Op)
		}
	}
	return b, nil
}

// touched is memory that the system has to give.
func touched(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = 1
	}
	return b
}

func (b *backend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if b.closed.Load() && b.fault != "runs when closed" {
		return nil, backends.ErrClosed
	}
	if b.fault == "ignores its context" {
		ctx = context.WithoutCancel(ctx)
	}
	p := backends.Provenance{Backend: "plain", Version: "1", Model: b.model.Name()}
	switch b.fault {
	case "has no version":
		p.Version = ""
	case "changes its version":
		p.Version = fmt.Sprint(drift.Add(1))
	}
	var err error
	if p.ModelSHA256, err = b.model.SHA256(); err != nil {
		return nil, err
	}
	of := backends.Subject{Engine: b.engine, Model: b.model}
	if b.fault == "has no subject" {
		of = backends.Subject{}
	}
	return backends.Collect(ctx, p, of, inputs, b.infer)
}

func (b *backend) Close() error {
	if b.closed.Swap(true) && b.fault == "closes once" {
		return errors.New("closed already")
	}
	return nil
}

func (b *backend) infer(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	if b.fault != "checks no inputs" {
		if err := backends.CheckInputs(b.inputs, inputs); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	outputs, err := backendtest.Reference(ctx, inputs)
	if err != nil {
		return nil, err
	}
	switch b.fault {
	case "keeps runs":
		b.kept = append(b.kept, touched(4<<10))
	case "gives outputs in another order":
		return reversed(outputs)
	case "gives the outputs of before":
		if b.last == nil {
			b.last = outputs
		}
		return b.last, nil
	case "writes over its outputs":
		if b.last != nil {
			for name, t := range b.last.All() {
				if now, ok := outputs.Get(name); ok {
					copy(t.Bytes(), now.Bytes())
				}
			}
		}
		b.last = outputs
	case "writes over its inputs":
		if x, ok := inputs.Get("x"); ok && x.Len() > 0 {
			x.Bytes()[0] ^= 1
		}
	case "drifts":
		if y, ok := outputs.Get("y"); ok && y.ElementType() == tensor.Float32 && y.Len() > 100 {
			changed := append([]byte(nil), y.Bytes()...)
			changed[0] ^= byte(drift.Add(1))
			t, err := tensor.FromBytes(tensor.Float32, y.Shape(), changed)
			if err != nil {
				return nil, err
			}
			return tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
		}
	case "makes 0-d tensors 1-d", "loses empty tensors":
		if y, ok := outputs.Get("y"); ok && y.Len() < 2 && (y.Len() == 0) == (b.fault[0] == 'l') {
			t, err := y.Reshape(tensor.Shape{y.Len()})
			if err != nil {
				return nil, err
			}
			return tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
		}
	}
	return outputs, nil
}

var drift atomic.Int32

func reversed(set *tensor.Set) (*tensor.Set, error) {
	var entries []tensor.Entry
	for i := set.Len() - 1; i >= 0; i-- {
		entries = append(entries, set.At(i))
	}
	return tensor.NewSet(entries...)
}

// record runs a spec and notes how it ended.
func record(ctx context.Context, s backendtest.Spec) enginetest.Recorder {
	return enginetest.Record(func(t *enginetest.Recorder) { s.Run(ctx, t) })
}

func TestAnEngineWithoutFaultsPasses(t *testing.T) {
	backendtest.Test(t, engine{})
}

// TestEveryFaultIsFound plants a fault at a time, and says which specs find it.
func TestEveryFaultIsFound(t *testing.T) {
	for fault, finders := range map[string][]string{
		"gives outputs in another order": {
			"gives the outputs that the model declares, by name and in order"},
		"gives the outputs of before": {"runs every iteration, in order",
			"takes different shapes from run to run", "runs concurrently"},
		"writes over its outputs": {"gives outputs that later runs do not change"},
		"writes over its inputs":  {"does not change its inputs"},
		"drifts":                  {"repeats its outputs bit for bit"},
		"has no subject":          {"records how each run was made, so that it can be repeated"},
		"has no version":          {"records how each run was made, so that it can be repeated"},
		"changes its version":     {"records how each run was made, so that it can be repeated"},
		"keeps processes":         {"frees what it opened"},
		"closes once":             {"can be closed twice"},
		"runs when closed":        {"refuses to run once it is closed"},
		"makes 0-d tensors 1-d":   {"carries 0-d tensors of float32", "carries 0-d tensors of string"},
		"loses empty tensors":     {"carries empty tensors of int4"},
		"checks no inputs":        {"refuses an input with a wrong fixed dimension"},
		"ignores its context":     {"does not run when the context has ended"},
		"takes any operator":      {"refuses an operator that it does not know"},
		"keeps runs":              {"frees the memory of its runs"},
		"keeps backends":          {"frees what it opened"},
		"keeps goroutines":        {"leaves no goroutines behind"},
		"takes damaged models":    {"refuses a model that is damaged"},
	} {
		if strings.HasPrefix(fault, "keeps") && runtime.GOOS != "linux" {
			continue
		}
		specs := map[string]backendtest.Spec{}
		for _, spec := range backendtest.Specs(engine{fault}) {
			specs[spec.Name] = spec
		}
		for _, finder := range finders {
			if backendtest.RaceDetector && strings.HasPrefix(finder, "frees") {
				continue // they except themselves
			}
			t.Run(fault+"/"+finder, func(t *testing.T) {
				g := NewWithT(t)
				g.Expect(specs).To(HaveKey(finder))
				g.Expect(record(t.Context(), specs[finder]).Failed).NotTo(BeEmpty())
			})
		}
	}
	kept = nil
}

func TestExceptionsSkipWithTheirReason(t *testing.T) {
	g := NewWithT(t)
	specs := backendtest.Specs(engine{"closes once"},
		backendtest.Except("can be closed twice", "it was written so"))
	for _, spec := range specs {
		if spec.Name == "can be closed twice" {
			g.Expect(record(t.Context(), spec)).To(Equal(
				enginetest.Recorder{Skipped: "plain is exempt: it was written so"}))
		}
	}
	g.Expect(func() {
		backendtest.Specs(engine{}, backendtest.Except("swims", "it cannot"))
	}).To(PanicWith("backendtest: no spec is named swims"))
}

func TestTypesThatAnEngineLacksMustBeRefused(t *testing.T) {
	g := NewWithT(t)
	for _, spec := range backendtest.Specs(engine{}, backendtest.Types(tensor.Float32)) {
		if spec.Name == "refuses int8" {
			g.Expect(record(t.Context(), spec).Failed).To(Equal("no error"))
			return
		}
	}
	t.Fatal("no spec asks for it")
}

func TestErrorsMayGoOnWithALog(t *testing.T) {
	g := NewWithT(t)
	for _, logs := range []bool{false, true} {
		var options []backendtest.Option
		if logs {
			options = append(options, backendtest.LogsInErrors())
		}
		for _, spec := range backendtest.Specs(engine{"logs"}, options...) {
			switch spec.Name {
			case "refuses an operator that it does not know":
				if failed := record(t.Context(), spec).Failed; logs {
					g.Expect(failed).To(BeEmpty())
				} else {
					g.Expect(failed).To(HavePrefix("expected an error of one line"))
				}
			case "refuses a model that is damaged": // the log, not the first line, names it
				g.Expect(record(t.Context(), spec).Failed).NotTo(BeEmpty())
			}
		}
	}
}
