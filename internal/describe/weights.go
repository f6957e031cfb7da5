package describe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// eachWeight calls visit for each initializer, one at a time.
func eachWeight(m *loaders.Model, checksums bool, visit func(Weight) error) error {
	r, done := m.File().Open()
	defer done()
	for i := range m.File().Structure.Graph.Initializers {
		t := &m.File().Structure.Graph.Initializers[i]
		w := Weight{Initializer: loaders.Initializer{Name: t.Name, Type: onnxfile.ElementTypeOf(t.Type),
			TypeName: onnxfile.DataTypeName(t.Type), Shape: onnxfile.ShapeOf(t),
			External: t.External, Sparse: t.Sparse}}
		if checksums {
			var err error
			if w.SHA256, err = weightSum(m, r, t); err != nil {
				return err
			}
		}
		if err := visit(w); err != nil {
			return err
		}
	}
	return r.Err()
}

// weightSum returns a checksum of a weight's elements that does not depend on their encoding in the
// file. If a weight cannot be decoded, as when it is sparse or complex, weightSum returns the
// checksum of the encoded message.
func weightSum(m *loaders.Model, r *onnxwire.Reader, t *onnxwire.Tensor) (string, error) {
	hash := sha256.New()
	weight, err := m.File().Weight(r, t)
	switch {
	case err == nil:
		hash.Write(weight.Bytes())
		for _, s := range weight.Strings() {
			sum := sha256.Sum256([]byte(s)) // hashed one by one, so that "ab","c" and "a","bc" differ
			hash.Write(sum[:])
		}
	case t.External:
		return "", fmt.Errorf("initializer %q: %w", t.Name, err)
	default:
		hash.Write(r.Bytes(t.Span))
	}
	return hex.EncodeToString(hash.Sum(nil)), r.Err()
}
