//go:build linux || darwin

package remote_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// abacus is an engine of a third party, which does in iteration 1 what its text says.
type abacus string

func init() {
	backends.Register("abacus", func(text string) (backends.Engine, error) {
		fault, err := strconv.Unquote(strings.TrimPrefix(text, "abacus "))
		return abacus(fault), err
	})
}

func (a abacus) Text() string     { return "abacus " + strconv.Quote(string(a)) }
func (a abacus) String() string   { return "abacus" }
func (a abacus) GoString() string { return fmt.Sprintf("abacus(%q)", string(a)) }

// counted is a model in an abacus.
type counted struct {
	engine abacus
	model  *loaders.Model
	sum    string
	closed bool
}

func (a abacus) Open(_ context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	if a == "missing" {
		return nil, &backends.Missing{Backend: "abacus", Reason: "no beads", Remedy: "buy some"}
	}
	m, err := backends.ONNX("abacus", model)
	if err != nil {
		return nil, err
	}
	sum, err := m.SHA256()
	return &counted{engine: a, model: m, sum: sum}, err
}

func (c *counted) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if c.closed {
		return nil, backends.ErrClosed
	}
	declared, err := c.model.Inputs()
	if err != nil {
		return nil, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	p := backends.Provenance{Backend: "abacus", Version: "1", Model: c.model.Name(),
		ModelSHA256: c.sum, Options: map[string]string{"folder": filepath.Base(folder)}}
	iteration := 0
	return backends.Collect(ctx, p, backends.Subject{Engine: c.engine, Model: c.model}, inputs,
		func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error) {
			if iteration++; iteration == 2 {
				c.engine.err()
			}
			if err := backends.CheckInputs(declared, inputs); err != nil {
				return nil, err
			}
			return backendtest.Reference(ctx, inputs)
		})
}

func (c *counted) Close() error {
	c.closed = true
	return nil
}

// err does what the engine should not do.
func (a abacus) err() {
	switch what, detail, _ := strings.Cut(string(a), " "); what {
	case "exit":
		fmt.Println("the abacus was put away")
		os.Exit(3)
	case "kill":
		_ = exec.Command("kill", "-9", strconv.Itoa(os.Getpid())).Run()
		time.Sleep(time.Minute)
	case "hang":
		_ = exec.Command("sleep", detail).Start() // a child that must not stay
		time.Sleep(time.Hour)
	}
}

// difference is y = minuend − subtrahend, as backendtest's reference computes it.
func difference() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n", 3}}
	}
	return loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Sub", In: []string{"minuend", "subtrahend"},
			Out: []string{"difference"}}},
		Inputs:  []onnxtest.Value{value("minuend"), value("subtrahend")},
		Outputs: []onnxtest.Value{value("difference")}}}.Bytes())
}
