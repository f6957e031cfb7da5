package edit

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// unique collects folded values. Equal values share one weight.
type unique struct {
	model  *loaders.Model
	values []tensor.Entry
	same   map[string]string // the tensor that has the same value
	bytes  int64             // the model's size with the values

	alone map[string]bool // tensors that bodies read, which keep their names
	known map[sum]string  // tensors by value
	read  map[string]bool // the kinds of tensor for which known has the model's weights
}

type sum [sha256.Size]byte

func newUnique(m *loaders.Model) (*unique, error) {
	u := &unique{model: m, same: map[string]string{}, alone: map[string]bool{},
		known: map[sum]string{}, read: map[string]bool{}}
	nodes, err := m.Nodes()
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		for _, name := range n.Captured {
			u.alone[name] = true
		}
	}
	u.bytes, err = m.Size()
	return u, err
}

// add adds a value. It returns false if the value needs a new weight that would make the model
// larger than limit, in bytes.
func (u *unique) add(v tensor.Entry, limit int64) (bool, error) {
	if err := u.readWeights(kindOf(v.Tensor)); err != nil {
		return false, err
	}
	s := sumOf(v.Tensor)
	other, known := u.known[s]
	if known && !u.alone[v.Name] && v.Tensor.ElementType() != tensor.String {
		u.same[v.Name] = other
		return true, nil
	}
	size := u.bytes + int64(v.Tensor.Size())
	if size > limit {
		return false, nil
	}
	u.bytes = size
	if !known {
		u.known[s] = v.Name
	}
	u.values = append(u.values, v)
	return true, nil
}

// readWeights adds the model's weights of one type and shape to u.known.
func (u *unique) readWeights(kind string) error {
	if u.read[kind] {
		return nil
	}
	u.read[kind] = true
	r, done := u.model.File().Open()
	defer done()
	graph := &u.model.File().Structure.Graph
	given := map[string]bool{} // names whose values are not known: callers may replace defaults
	for _, v := range graph.Inputs {
		given[v.Name] = true
	}
	for _, t := range slices.Backward(graph.Initializers) {
		hidden := given[t.Name]
		given[t.Name] = true // of several weights with one name, engines use the last
		if t.Sparse || hidden ||
			kind != fmt.Sprint(onnxfile.ElementTypeOf(t.Type), onnxfile.ShapeOf(&t)) {
			continue
		}
		weight, err := u.model.File().Weight(r, &t)
		if err != nil {
			return u.model.File().Located(fmt.Errorf("initializer %q: %w", t.Name, err))
		}
		u.known[sumOf(weight)] = t.Name
	}
	return nil
}

func kindOf(t *tensor.Tensor) string { return fmt.Sprint(t.ElementType(), t.Shape()) }

// sumOf returns a checksum of a tensor's type, shape and data. It does not cover strings.
func sumOf(t *tensor.Tensor) (s sum) {
	hash := sha256.New()
	fmt.Fprintln(hash, kindOf(t))
	hash.Write(t.Bytes())
	hash.Sum(s[:0])
	return s
}
