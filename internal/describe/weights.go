package describe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
)

// addWeights adds the initializers and, if checksums is true, the checksums of their data.
func (d *Description) addWeights(m *loaders.Model, r *onnxwire.Reader, checksums bool) error {
	initializers, err := m.Initializers()
	if err != nil {
		return err
	}
	for i, one := range initializers {
		w := Weight{Initializer: one}
		if checksums {
			if w.SHA256, err = weightSum(m, r, &m.File().Structure.Graph.Initializers[i]); err != nil {
				return err
			}
		}
		d.Initializers = append(d.Initializers, w)
	}
	return nil
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
