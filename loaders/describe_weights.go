package loaders

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// eachWeight describes the initializers, one at a time.
func (m *Model) eachWeight(checksums bool, visit func(DescribedWeight) error) error {
	source, done, err := m.file.Open()
	if err != nil {
		return err
	}
	defer done()
	for i := range m.file.Structure.Graph.Initializers {
		t := &m.file.Structure.Graph.Initializers[i]
		w := DescribedWeight{Initializer: initializerOf(t)}
		if checksums {
			if w.SHA256, err = m.weightSum(source, t); err != nil {
				return err
			}
		}
		if err := visit(w); err != nil {
			return err
		}
	}
	return nil
}

// weightSum returns the checksum of a weight's elements, which does not depend on their encoding.
// For a weight that cannot be decoded, such as a sparse or complex one, it is the checksum of the
// encoded message.
func (m *Model) weightSum(source onnxwire.Source, t *onnxwire.Tensor) (string, error) {
	hash := sha256.New()
	weight, err := m.file.Weight(source, t)
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
