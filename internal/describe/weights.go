package describe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// eachWeight calls visit for each initializer, one at a time.
func eachWeight(m *loaders.Model, checksums bool, visit func(Weight) error) error {
	source, done, err := m.File().Open()
	if err != nil {
		return err
	}
	defer done()
	for i := range m.File().Structure.Graph.Initializers {
		t := &m.File().Structure.Graph.Initializers[i]
		w := Weight{Initializer: loaders.Initializer{Name: t.Name, Type: onnxfile.ElementTypeOf(t.Type),
			TypeName: onnxfile.DataTypeName(t.Type), Shape: make(tensor.Shape, len(t.Dims)),
			External: t.External, Sparse: t.Sparse}}
		for at, d := range t.Dims {
			w.Shape[at] = int(d)
		}
		if checksums {
			if w.SHA256, err = weightSum(m, source, t); err != nil {
				return err
			}
		}
		if err := visit(w); err != nil {
			return err
		}
	}
	return nil
}

// weightSum returns the checksum of a weight's elements, regardless of the way in which the file
// encodes them. If a weight cannot be decoded, for example because it is sparse or complex,
// weightSum returns the checksum of the encoded message.
func weightSum(m *loaders.Model, source onnxwire.Source, t *onnxwire.Tensor) (string, error) {
	hash := sha256.New()
	weight, err := m.File().Weight(source, t)
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
		message := io.NewSectionReader(source, t.Span.Start, t.Span.Len())
		if _, err := io.Copy(hash, message); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
