// Package fickle provides a small network in Go, and engines for it that contradict themselves.
// Each engine has a fault that specs must find; many were reported by users of real engines.
package fickle

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Model has the inputs x[batch,positions,4] and mask[batch,positions], and the outputs
// y[batch,positions,4] and pooled[batch,4]. y is Relu of x times the weights, and pooled is the sum
// of y over the positions with a nonzero mask.
type Model struct{}

const width = 4

// Name implements fixtures.Declaration.
func (Model) Name() string { return "net" }

// Inputs declares x and mask.
func (Model) Inputs() ([]loaders.Value, error) {
	return []loaders.Value{value("x", batch, positions, loaders.Dim{Size: width}),
		value("mask", batch, positions)}, nil
}

// Outputs declares y and pooled.
func (Model) Outputs() ([]loaders.Value, error) {
	return []loaders.Value{value("y", batch, positions, loaders.Dim{Size: width}),
		value("pooled", batch, loaders.Dim{Size: width})}, nil
}

var (
	batch     = loaders.Dim{Size: -1, Symbol: "batch"}
	positions = loaders.Dim{Size: -1, Symbol: "positions"}
)

func value(name string, dims ...loaders.Dim) loaders.Value {
	return loaders.Value{Name: name, Type: tensor.Float32, HasShape: true, Dims: dims}
}

// Inputs returns a batch with the given numbers of rows and positions, and a mask of ones.
func Inputs(rows, positions int) fixtures.Inputs {
	return fixtures.Random(Model{}, fixtures.Shape("x", rows, positions, width),
		fixtures.ValRangeFor("x", 0.5, 1.5), fixtures.ValRangeFor("mask", 1, 1))
}

// begins is the first element of x in the result of [Inputs].
const begins = 0.917022

// Fault names a fault of an engine.
type Fault string

// These are the faults, with the issues that report them.
const (
	None Fault = "none"
	// RowLeak adds a little of each row to the next, in batches of two or more (TensorRT#4853).
	RowLeak Fault = "a row leaks into the next"
	// SameRows makes the results different for rows with equal values (TensorRT#4813).
	SameRows Fault = "equal rows differ"
	// NeighbourNaN makes all rows of a batch NaN if one row contains NaN.
	NeighbourNaN Fault = "a neighbour's NaN"
	// SharedScale rounds all rows with a scale from the largest value in the batch, as dynamic
	// quantisation does.
	SharedScale Fault = "one quantisation scale for the batch"
	// StaleBuffer makes a run return the previous run's first row (onnxruntime-genai#1604).
	StaleBuffer Fault = "a stale buffer"
	// Race lets two concurrent runs of a session see each other's inputs.
	Race Fault = "a race"
	// SharedMemory lets concurrent runs of two sessions see each other's inputs.
	SharedMemory Fault = "sessions share memory"
	// OtherStream makes the results wrong in every second stream of a session.
	OtherStream Fault = "streams differ"
	// OneSession makes all results of every second session wrong. The fault in onnxruntime#9704 is
	// similar, but only the first run of a session is wrong there.
	OneSession Fault = "sessions differ"
	// OneShape makes the results wrong only for batches of 7. In onnxruntime#10636, only batches of 5
	// are wrong.
	OneShape Fault = "one shape"
	// OneRow makes rows wrong in batches of 2 or more. Only the row that begins with the first number
	// of [Inputs] is right.
	OneRow Fault = "one row"
	// Swapped exchanges the first and the last row in batches of 3 or more.
	Swapped Fault = "rows exchanged"
	// OneMagnitude makes the results wrong for values from 4 up to 8.
	OneMagnitude Fault = "one magnitude"
	// PaddingLeak lets the positions that the mask excludes change the output "pooled".
	PaddingLeak Fault = "padding leaks"
	// ByIndex adds to each row a number that depends on the row's index.
	ByIndex Fault = "results depend on the row's index"
	// ByThreads adds numbers in a different order if there are several threads.
	ByThreads Fault = "threads"
)

// Engine returns an engine that computes the network with a fault, on one thread unless its
// capability Threads is used.
func Engine(f Fault) backends.Engine { return engine{open(f, 1, 1), f, 1} }

type engine struct {
	backends.Engine
	fault   Fault
	threads int
}

// Capabilities says that the engine supports threads. With the fault [OtherStream], it also
// supports streams.
func (e engine) Capabilities() backends.Capabilities {
	c := backends.Capabilities{Threads: func(n int) (backends.Engine, error) {
		return engine{open(e.fault, n, 1), e.fault, n}, nil
	}}
	if e.fault == OtherStream {
		c.Streams = func(n int) (backends.Engine, error) {
			return engine{open(e.fault, e.threads, n), e.fault, e.threads}, nil
		}
	}
	return c
}

// Text names the fault that the engine imitates, and its number of threads.
func (e engine) Text() string { return "fickle " + string(e.fault) + string(rune('0'+e.threads)) }

// String returns the engine's name for people.
func (e engine) String() string { return "fickle: " + string(e.fault) }

var sessions struct {
	sync.Mutex
	n int
}

func open(f Fault, threads, streams int) backends.Engine {
	return fake.Engine(fake.Opens(func(_ context.Context, m fixtures.Declaration, _ fixtures.Inputs) (
		backends.Backend, error) {
		sessions.Lock()
		defer sessions.Unlock()
		sessions.n++
		return &session{fault: f, threads: threads, streams: streams, model: m,
			number: sessions.n}, nil
	}))
}

// session computes the network, and stores the state that the faults need between runs.
type session struct {
	fault   Fault
	threads int
	streams int
	number  int
	model   fixtures.Declaration

	alone  sync.Mutex
	mu     sync.Mutex
	x      []float32 // x of the run that began last
	runs   int
	before []float32 // y of the run that ended last
}

// Run runs every iteration.
func (s *session) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.Collect(ctx, backends.Provenance{Backend: "fickle", Model: "net"},
		backends.Subject{Model: s.model}, inputs, s.infer)
}

// Close does nothing.
func (s *session) Close() error { return nil }

func (s *session) infer(_ context.Context, set *tensor.Set) (*tensor.Set, error) {
	given, _ := set.Get("x")
	x, err := tensor.Values[float32](given)
	if err != nil {
		return nil, err
	}
	weights, _ := set.Get("mask")
	mask, err := tensor.Values[float32](weights)
	if err != nil {
		return nil, err
	}
	if len(given.Shape()) != 3 {
		return nil, errors.New("x has three dimensions")
	}
	x = s.raced(x)
	shape := given.Shape()
	y := s.multiply(x, shape)
	pooled := s.pool(y, mask, shape)
	s.mu.Lock()
	if s.fault == StaleBuffer && len(s.before) == len(y) {
		y, s.before = s.before, y
	} else {
		s.before = y
	}
	s.mu.Unlock()
	first, err := tensor.New(shape, y)
	if err != nil {
		return nil, err
	}
	second, err := tensor.New(tensor.Shape{shape[0], width}, pooled)
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(tensor.Entry{Name: "y", Tensor: first},
		tensor.Entry{Name: "pooled", Tensor: second})
}

// raced returns the input that a run uses: its own or, with the faults Race and SharedMemory, that
// of the run that began last.
func (s *session) raced(x []float32) []float32 {
	of := s
	switch s.fault {
	case Race:
	case SharedMemory:
		s.alone.Lock() // one run of a session at a time
		defer s.alone.Unlock()
		of = &shared
	default:
		return x
	}
	of.mu.Lock()
	of.x = x
	of.mu.Unlock()
	time.Sleep(2 * time.Millisecond)
	of.mu.Lock()
	defer of.mu.Unlock()
	if len(of.x) != len(x) {
		return x
	}
	return of.x
}

// shared is the session whose memory all sessions with the fault [SharedMemory] use.
var shared session

func weight(i, j int) float32 { return float32((i*3+j*5)%7-2) / 8 }

// multiply returns Relu of x times the weights. It also applies the session's fault, unless that
// fault depends on the data of other runs.
func (s *session) multiply(x []float32, shape tensor.Shape) []float32 {
	row := shape[1] * width
	y := make([]float32, len(x))
	for at := 0; at < len(x); at += width {
		for j := range width {
			var sum float32
			for i := range width {
				if s.fault == ByThreads && s.threads > 1 {
					i = width - 1 - i
				}
				v := x[at+i]
				if a := math.Abs(float64(v)); s.fault == OneMagnitude && a >= 4 && a < 8 {
					v *= 1.01
				}
				sum += float32(v * weight(i, j))
			}
			y[at+j] = max(sum, 0)
		}
	}
	n := shape[0]
	s.mu.Lock()
	stream := s.runs % s.streams
	s.runs++
	s.mu.Unlock()
	for r := range n {
		own := y[r*row : (r+1)*row]
		for i := range own {
			switch {
			case s.fault == RowLeak && r > 0:
				own[i] += float32(0.001 * x[(r-1)*row+i])
			case s.fault == SameRows && r > 0, s.fault == ByIndex && n > 1,
				s.fault == OneShape && n == 7:
				own[i] += float32(0.001 * float32(r+1))
			case s.fault == OneRow && n > 1 && math.Abs(float64(x[r*row])-begins) > 1e-4:
				own[i] += 0.001
			case s.fault == OneSession && s.number%2 == 0, s.fault == OtherStream && stream%2 == 1:
				own[i] += 0.001
			}
		}
	}
	switch largest := float64(slices.Max(x)); {
	case s.fault == NeighbourNaN && largest != largest:
		for i := range y {
			y[i] = float32(math.NaN())
		}
	case s.fault == SharedScale && largest == largest && largest > 4:
		for i, v := range y {
			y[i] = float32(math.Round(float64(v)*255/largest) / 255 * largest)
		}
	case s.fault == Swapped && n > 2:
		for i := range row {
			y[i], y[(n-1)*row+i] = y[(n-1)*row+i], y[i]
		}
	}
	return y
}

// pool returns the sum of y over the positions that the mask includes.
func (s *session) pool(y, mask []float32, shape tensor.Shape) []float32 {
	pooled := make([]float32, shape[0]*width)
	for r := range shape[0] {
		for p := range shape[1] {
			at := r*shape[1] + p
			if mask[at] == 0 && s.fault != PaddingLeak {
				continue
			}
			for j := range width {
				pooled[r*width+j] += y[at*width+j]
			}
		}
	}
	return pooled
}
