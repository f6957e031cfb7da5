package loaders

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

func (m *Model) describeWeights(d *Description, source onnxwire.Source, checksums bool) error {
	list, err := m.Initializers()
	if err != nil {
		return err
	}
	for i := range list {
		w := DescribedWeight{Initializer: list[i]}
		if checksums {
			if w.SHA256, err = m.weightSum(source, &m.structure.Graph.Initializers[i]); err != nil {
				return err
			}
		}
		d.Initializers = append(d.Initializers, w)
	}
	return nil
}

// weightSum is the checksum of a weight's elements, so that it does not matter how a model stores
// them. Of a weight that cannot be decoded, such as a sparse or complex one, it is that of the
// message.
func (m *Model) weightSum(source onnxwire.Source, t *onnxwire.Tensor) (string, error) {
	hash := sha256.New()
	weight, err := m.weight(source, t)
	switch {
	case err == nil:
		hash.Write(weight.Bytes())
		for _, s := range weight.Strings() {
			sum := sha256.Sum256([]byte(s)) // or "ab","c" and "a","bc" were the same
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
