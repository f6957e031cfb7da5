// Package faulty is an engine of a third party that does one thing wrong on request, for specs of
// engines in other processes.
package faulty

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Engine computes [Model], and does one thing wrong. Its text says what: "run 1: hang".
type Engine string

// ReachedMain is whether this process came so far, which an engine's may not. A TestMain sets it.
var ReachedMain bool

func init() {
	backends.Register("faulty", func(text string) (backends.Engine, error) {
		fault, err := strconv.Unquote(strings.TrimPrefix(text, "faulty "))
		return Engine(fault), err
	})
}

func (f Engine) Text() string     { return "faulty " + strconv.Quote(string(f)) }
func (f Engine) String() string   { return "faulty" }
func (f Engine) GoString() string { return fmt.Sprintf("faulty(%q)", string(f)) }

func (f Engine) Open(ctx context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	m, err := backends.ONNX("faulty", model)
	if err != nil {
		return nil, err
	}
	b := &opened{engine: f, model: m}
	if b.inputs, err = m.Inputs(); err != nil {
		return nil, err
	}
	f.fault("open")
	b.sum, err = m.SHA256()
	return b, err
}

type opened struct {
	engine Engine
	model  *loaders.Model
	inputs []loaders.Value
	sum    string
	runs   atomic.Int64
	closed atomic.Bool
}

func (b *opened) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if b.closed.Load() {
		return nil, backends.ErrClosed
	}
	p := backends.Provenance{Backend: "faulty", Version: "1", Model: b.model.Name(),
		ModelSHA256: b.sum, Options: map[string]string{"pid": strconv.Itoa(os.Getpid()),
			"main": strconv.FormatBool(ReachedMain)}}
	return backends.Collect(ctx, p, backends.Subject{Engine: b.engine, Model: b.model}, inputs,
		func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
			if err := backends.CheckInputs(b.inputs, inputs); err != nil {
				return nil, err
			}
			b.engine.fault("run " + strconv.Itoa(int(b.runs.Add(1)-1)))
			return backendtest.Reference(ctx, inputs)
		})
}

func (b *opened) Close() error {
	b.engine.fault("close")
	b.closed.Store(true)
	return nil
}

func (f Engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{RunWithTensors: showInputs}
}

// showInputs shows the inputs as the tensors inside.
func showInputs(ctx context.Context, of backends.Backend, inputs fixtures.Inputs,
	names []string) (*backends.Run, error) {
	b := of.(*opened)
	return backends.Collect(ctx, backends.Provenance{Backend: "faulty"},
		backends.Subject{Engine: b.engine, Model: b.model}, inputs,
		func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
			outputs, err := backendtest.Reference(ctx, inputs)
			if err != nil {
				return nil, err
			}
			return tensor.NewSet(append([]tensor.Entry{outputs.At(0)}, func() (all []tensor.Entry) {
				for name, t := range inputs.Only(names...).All() {
					all = append(all, tensor.Entry{Name: name, Tensor: t})
				}
				return all
			}()...)...)
		})
}

var sink [][]byte

// fault does what the text says: "run 1: hang".
func (f Engine) fault(now string) {
	when, what, _ := strings.Cut(string(f), ": ")
	if when != now && (when != "every run" || !strings.HasPrefix(now, "run ")) {
		return
	}
	what, detail, _ := strings.Cut(what, " ")
	switch what {
	case "panic":
		fmt.Println("the beads are loose")
		var nothing *opened
		_ = nothing.sum
	case "exit":
		fmt.Fprintln(os.Stderr, "the abacus was put away")
		os.Exit(3)
	case "kill":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		time.Sleep(time.Minute)
	case "hang":
		hangs()
	case "spawn":
		_ = exec.Command("sleep", detail).Start()
		os.Exit(4)
	case "garbage":
		_, _ = os.NewFile(4, "answers").WriteString("Loading weights: 100 % done\n")
		hangs()
	case "keep":
		keep(4 << 10)
	case "leak":
		for {
			keep(16 << 20)
		}
	}
}

// keep takes memory and never gives it back.
func keep(size int) {
	block := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		block[i] = 1
	}
	sink = append(sink, block)
}

//go:noinline
func hangs() {
	for {
		time.Sleep(time.Second)
		runtime.Gosched()
	}
}

// Model is y = minuend − subtrahend and its opposite, as backendtest's reference computes it.
func Model() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n", 3}}
	}
	return loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Sub", In: []string{"minuend", "subtrahend"},
			Out: []string{"difference"}}},
		Inputs:  []onnxtest.Value{value("minuend"), value("subtrahend")},
		Outputs: []onnxtest.Value{value("difference")}}}.Bytes())
}

// Inputs are n sets of inputs.
func Inputs(n int) fixtures.Inputs {
	sets := make([]*tensor.Set, n)
	for i := range sets {
		m, err := tensor.New(tensor.Shape{1, 3}, []float32{float32(i), 2, 3})
		must(err)
		sets[i], err = tensor.NewSet(tensor.Entry{Name: "minuend", Tensor: m},
			tensor.Entry{Name: "subtrahend", Tensor: m})
		must(err)
	}
	return fixtures.Of(sets...)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
