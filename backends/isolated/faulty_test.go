//go:build linux || darwin

package isolated_test

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
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// faulty is an engine of a third party, which does one thing wrong. Its text says what.
type faulty string

func init() {
	backends.Register("faulty", func(text string) (backends.Engine, error) {
		fault, err := strconv.Unquote(strings.TrimPrefix(text, "faulty "))
		return faulty(fault), err
	})
}

func (f faulty) Text() string     { return "faulty " + strconv.Quote(string(f)) }
func (f faulty) String() string   { return "faulty" }
func (f faulty) GoString() string { return fmt.Sprintf("faulty(%q)", string(f)) }

func (f faulty) Open(ctx context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	m, err := backends.ONNX("faulty", model)
	if err != nil {
		return nil, err
	}
	b := &faultyModel{engine: f, model: m}
	if b.inputs, err = m.Inputs(); err != nil {
		return nil, err
	}
	f.fault("open")
	b.sum, err = m.SHA256()
	return b, err
}

type faultyModel struct {
	engine faulty
	model  *loaders.Model
	inputs []loaders.Value
	sum    string
	runs   atomic.Int64
	closed atomic.Bool
}

func (b *faultyModel) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if b.closed.Load() {
		return nil, backends.ErrClosed
	}
	p := backends.Provenance{Backend: "faulty", Version: "1", Model: b.model.Name(),
		ModelSHA256: b.sum, Options: map[string]string{"pid": strconv.Itoa(os.Getpid()),
			"main": strconv.FormatBool(reachedMain)}}
	return backends.Collect(ctx, p, backends.Subject{Engine: b.engine, Model: b.model}, inputs,
		func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
			if err := backends.CheckInputs(b.inputs, inputs); err != nil {
				return nil, err
			}
			b.engine.fault("run " + strconv.Itoa(int(b.runs.Add(1)-1)))
			return backendtest.Reference(ctx, inputs)
		})
}

func (b *faultyModel) Close() error {
	b.engine.fault("close")
	b.closed.Store(true)
	return nil
}

func (f faulty) Capabilities() backends.Capabilities {
	return backends.Capabilities{RunWithTensors: showInputs}
}

// showInputs shows the inputs as the tensors inside.
func showInputs(ctx context.Context, opened backends.Backend, inputs fixtures.Inputs,
	names []string) (*backends.Run, error) {
	b := opened.(*faultyModel)
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
func (f faulty) fault(now string) {
	when, what, _ := strings.Cut(string(f), ": ")
	if when != now && (when != "every run" || !strings.HasPrefix(now, "run ")) {
		return
	}
	what, detail, _ := strings.Cut(what, " ")
	switch what {
	case "panic":
		fmt.Println("the beads are loose")
		var nothing *faultyModel
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
