//go:build cgo && (linux || darwin)

package tract_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/tensor"
)

// library is the tract that the environment names, or the one in the cache, without which these
// tests are skipped.
func library(t *testing.T) *tract.Library {
	t.Helper()
	path := os.Getenv(engines.Tract.Variable)
	if path == "" {
		var err error
		if path, err = engines.Tract.Library(); err != nil {
			t.Skip(err)
		}
	}
	l, err := tract.Open(path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return l
}

// unary is a model of one operator from x to y.
func unary(op string, elem int32, dims []any) tract.Source {
	return tract.Source{Data: onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: op, In: []string{"x"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: elem, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y"}},
	}}.Bytes()}
}

func floats(shape tensor.Shape, values ...float32) *tensor.Tensor {
	return made(tensor.Float32, shape, onnxtest.Float32s(values...))
}

func made(elem tensor.ElementType, shape tensor.Shape, data []byte) *tensor.Tensor {
	t, err := tensor.FromBytes(elem, shape, data)
	if err != nil {
		panic(err)
	}
	return t
}

// elements are ONNX's numbers of the types.
var elements = map[tensor.ElementType]int32{tensor.Float32: 1, tensor.Uint8: 2, tensor.Int8: 3,
	tensor.Uint16: 4, tensor.Int16: 5, tensor.Int32: 6, tensor.Int64: 7, tensor.Bool: 9,
	tensor.Float16: 10, tensor.Float64: 11, tensor.Uint32: 12, tensor.Uint64: 13}

// identical matches a tensor with the same type, shape and elements.
func identical(want *tensor.Tensor) OmegaMatcher { return Satisfy(want.Identical) }

func TestEveryTypePassesInEveryShape(t *testing.T) {
	l := library(t)
	for elem, number := range elements {
		for _, shape := range [][]int{{}, {3}, {2, 3}, {0}, {2, 0, 3}} {
			g := NewWithT(t)
			n, err := tensor.Shape(shape).Elements()
			g.Expect(err).NotTo(HaveOccurred())
			data := make([]byte, elem.Bytes(n))
			for i := range data {
				if data[i] = byte(37 * i); elem == tensor.Bool {
					data[i] &= 1
				}
			}
			g.Expect(tract.Supports(elem)).To(BeTrue())
			sent := made(elem, shape, data)
			r, err := l.Prepare(unary("Identity", number, nil), []tract.Fact{{elem, shape}}, false)
			g.Expect(err).NotTo(HaveOccurred(), "%v", tract.Fact{elem, shape})
			got, err := r.Run(t.Context(), []*tensor.Tensor{sent}, []tensor.ElementType{elem})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(HaveExactElements(identical(sent)))
			r.Close()
		}
	}
}

func TestDimensionsComeAsTheIntegersThatTheModelPromises(t *testing.T) {
	g := NewWithT(t)
	r, err := library(t).Prepare(unary("Shape", 1, []any{"a", "b"}),
		[]tract.Fact{{tensor.Float32, []int{2, 3}}}, false)
	g.Expect(err).NotTo(HaveOccurred())
	defer r.Close()
	got, err := r.Run(t.Context(), []*tensor.Tensor{floats([]int{2, 3}, 1, 2, 3, 4, 5, 6)},
		[]tensor.ElementType{tensor.Int64})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(HaveExactElements(identical(tensor.Of[int64](2, 3))))
}

func TestHalfComputesInFloat16AndKeepsThePromisedTypes(t *testing.T) {
	g := NewWithT(t)
	l := library(t)
	sent := floats([]int{2}, 1.0001, 60000)
	run := func(half bool) []float32 {
		r, err := l.Prepare(unary("Sqrt", 1, []any{2}), []tract.Fact{{tensor.Float32, []int{2}}}, half)
		g.Expect(err).NotTo(HaveOccurred())
		defer r.Close()
		got, err := r.Run(t.Context(), []*tensor.Tensor{sent}, []tensor.ElementType{tensor.Float32})
		g.Expect(err).NotTo(HaveOccurred())
		values, err := tensor.Values[float32](got[0])
		g.Expect(err).NotTo(HaveOccurred())
		return values
	}
	g.Expect(run(false)[0]).To(BeNumerically(">", float32(1)))
	g.Expect(run(true)[0]).To(Equal(float32(1)))
}

func TestModelsComeFromFilesAndFromMemory(t *testing.T) {
	g := NewWithT(t)
	l := library(t)
	source := unary("Neg", 1, []any{1})
	path := filepath.Join(t.TempDir(), "model.onnx")
	g.Expect(os.WriteFile(path, source.Data, 0o600)).To(Succeed())
	for _, source := range []tract.Source{source, {Path: path}} {
		r, err := l.Prepare(source, []tract.Fact{{tensor.Float32, []int{1}}}, false)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(r.Run(t.Context(), []*tensor.Tensor{floats([]int{1}, 2)},
			[]tensor.ElementType{tensor.Float32})).To(HaveExactElements(identical(floats([]int{1}, -2))))
		r.Close()
	}
}

func TestRefusals(t *testing.T) {
	l := library(t)
	one := []tract.Fact{{tensor.Float32, []int{1}}}
	for _, row := range []struct {
		what    string
		source  tract.Source
		message string
	}{
		{"no bytes", tract.Source{}, "the model is empty"},
		{"no model", tract.Source{Data: []byte("text")}, "Protobuf"},
		{"no file", tract.Source{Path: "absent.onnx"}, "No such file"},
		{"an unknown operator", unary("Frobnicate", 1, []any{1}), "Frobnicate"},
	} {
		t.Run(row.what, func(t *testing.T) {
			g := NewWithT(t)
			_, err := l.Prepare(row.source, one, false)
			var refused *tract.Error
			g.Expect(errors.As(err, &refused)).To(BeTrue(), "%v", err)
			g.Expect(refused.Message).To(And(ContainSubstring(row.message),
				Not(ContainSubstring("\n"))))
		})
	}
	g := NewWithT(t)
	_, err := l.Prepare(unary("Neg", 1, []any{1}), nil, false)
	g.Expect(err).To(MatchError("tract finds 1 inputs, but the model declares 0"))
	_, err = l.Prepare(unary("Neg", 1, nil), []tract.Fact{{tensor.Float32, []int{-1}}}, false)
	g.Expect(err).To(MatchError(ContainSubstring("shape [-1]: dimension 0 is negative")))
}

func TestRunRefusesWhatWouldBeReadPastItsEnd(t *testing.T) {
	g := NewWithT(t)
	r, err := library(t).Prepare(unary("Neg", 1, []any{2}),
		[]tract.Fact{{tensor.Float32, []int{2}}}, false)
	g.Expect(err).NotTo(HaveOccurred())
	defer r.Close()
	types := []tensor.ElementType{tensor.Float32}
	_, err = r.Run(t.Context(), nil, types)
	g.Expect(err).To(MatchError("the model has 1 inputs and 1 outputs, got 0 and 1"))
	_, err = r.Run(t.Context(), []*tensor.Tensor{floats([]int{3}, 1, 2, 3)}, types)
	g.Expect(err).To(MatchError(ContainSubstring("3")), "tract holds it to what it was prepared for")
}

func TestClosingIsHarmlessAtAnyTime(t *testing.T) {
	g := NewWithT(t)
	r, err := library(t).Prepare(unary("Neg", 1, []any{1}),
		[]tract.Fact{{tensor.Float32, []int{1}}}, false)
	g.Expect(err).NotTo(HaveOccurred())
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for {
				got, err := r.Run(t.Context(), []*tensor.Tensor{floats([]int{1}, 2)},
					[]tensor.ElementType{tensor.Float32})
				if err != nil {
					g.Expect(err).To(MatchError(tract.ErrClosed))
					return
				}
				g.Expect(got).To(HaveExactElements(identical(floats([]int{1}, -2))))
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	r.Close()
	r.Close()
	group.Wait()
}

func TestRunReturnsWhenItsContextEnds(t *testing.T) {
	g := NewWithT(t)
	// x·x over and over, far longer than the deadline.
	const size = 1200
	nodes := []onnxtest.Node{{Op: "MatMul", In: []string{"x", "x"}, Out: []string{"t0"}}}
	for i := range 7 {
		in, out := "t"+string(rune('0'+i)), "t"+string(rune('1'+i))
		nodes = append(nodes, onnxtest.Node{Op: "MatMul", In: []string{in, "x"}, Out: []string{out}})
	}
	source := tract.Source{Data: onnxtest.Model{Graph: onnxtest.Graph{Nodes: nodes,
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{size, size}}},
		Outputs: []onnxtest.Value{{Name: "t7"}}}}.Bytes()}
	r, err := library(t).Prepare(source, []tract.Fact{{tensor.Float32, []int{size, size}}}, false)
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err = r.Run(ctx, []*tensor.Tensor{floats([]int{size, size}, make([]float32, size*size)...)},
		[]tensor.ElementType{tensor.Float32})
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
	r.Close() // the run under way frees it
	_, err = r.Run(ctx, nil, nil)
	g.Expect(err).To(HaveOccurred())
}

func TestOpenRefusesOtherLibraries(t *testing.T) {
	g := NewWithT(t)
	_, err := tract.Open(filepath.Join(t.TempDir(), "absent.so"))
	g.Expect(err).To(MatchError(ContainSubstring("cannot be opened")))
	_, err = tract.Open("libc.so.6")
	g.Expect(err).To(MatchError(Or(
		Equal("libc.so.6 is not a usable tract: it has no tract_get_last_error"),
		ContainSubstring("cannot be opened")))) // where there is no such C library
	l := library(t)
	g.Expect(l.Version).To(MatchRegexp(`^\d+\.\d+\.\d+$`))
	g.Expect(tract.Open(l.Path)).To(BeIdenticalTo(l))
}
