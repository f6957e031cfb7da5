package openvino

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/backends"
	abi "github.com/modelparity/modelparity/internal/openvino"
)

// keptVariants is the largest number of sets of input shapes for which compiled models are kept.
const keptVariants = 8

// variants is one model, compiled for its declared shapes or for several sets of input shapes.
type variants struct {
	settings *settings

	lock   sync.Mutex // held while a model is being compiled
	model  *abi.Model
	recent []variant // the most recently used last

	mu     sync.Mutex // held only briefly
	closed bool
}

type variant struct {
	key      string
	compiled *abi.Compiled
}

func newVariants(model *abi.Model, s *settings) *variants {
	return &variants{settings: s, model: model}
}

// get returns the model compiled for these shapes, and compiles it if necessary. It returns early
// if ctx ends.
func (v *variants) get(ctx context.Context, shapes []given) (*abi.Compiled, error) {
	key := keyOf(shapes)
	// If ctx ends, the compilation continues, and its result is kept for later calls.
	return abi.Leave(ctx, func() (*abi.Compiled, error) {
		v.lock.Lock()
		defer v.unlock()
		if v.isClosed() {
			return nil, backends.ErrClosed
		}
		i := slices.IndexFunc(v.recent, func(known variant) bool { return known.key == key })
		if i >= 0 {
			known := v.recent[i]
			v.recent = append(slices.Delete(v.recent, i, i+1), known)
			return known.compiled, nil
		}
		compiled, err := v.compile(shapes)
		if err != nil {
			return nil, explain(err)
		}
		v.recent = append(v.recent, variant{key, compiled})
		if len(v.recent) > keptVariants {
			v.recent[0].compiled.Close()
			v.recent = slices.Delete(v.recent, 0, 1)
		}
		return compiled, nil
	}, func(*abi.Compiled) {})
}

func (v *variants) compile(shapes []given) (*abi.Compiled, error) {
	byIndex := map[int][]abi.Dimension{}
	for _, g := range shapes {
		if len(g.dims) == 0 && !g.port.HasShape {
			return nil, fmt.Errorf("input %q is 0-d, and the model does not declare its rank: "+
				"OpenVINO's C interface cannot set it; declare the shape [] in the model",
				g.port.Name)
		}
		if len(g.dims) > 0 { // a declared 0-d input needs no shape
			byIndex[g.port.place] = g.dims
		}
	}
	if err := v.model.Reshape(byIndex); err != nil {
		return nil, err
	}
	return v.model.Compile(v.settings.Device, v.settings.compile())
}

// keyOf returns the shapes as text, for use as a key.
func keyOf(shapes []given) string {
	var text strings.Builder
	for _, g := range shapes {
		fmt.Fprintf(&text, "%q%v", g.port.Name, g.dims)
	}
	return text.String()
}

func (v *variants) isClosed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.closed
}

// close frees all compiled models. A model that is being compiled is freed once it is ready.
func (v *variants) close() {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.sweep()
}

// unlock releases the lock. If the variants were closed meanwhile, it also frees them.
func (v *variants) unlock() {
	v.lock.Unlock()
	if v.isClosed() {
		v.sweep()
	}
}

// sweep frees all compiled models. If another goroutine holds the lock, that goroutine frees them
// in unlock.
func (v *variants) sweep() {
	if v.lock.TryLock() {
		v.free()
		v.lock.Unlock()
	}
}

// free frees all compiled models. The caller holds the lock. Calling it twice is harmless.
func (v *variants) free() {
	for _, known := range v.recent {
		known.compiled.Close()
	}
	v.recent = nil
	v.model.Close()
}
