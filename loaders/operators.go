package loaders

import "github.com/modelparity/modelparity/internal/onnxwire"

// Operators counts the model's nodes by operator, with its domain where that is not ONNX's own, in
// the bodies of If, Loop and Scan and in functions too. A function counts once, however often it is
// called.
func (m *Model) Operators() (map[string]int, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.content.open()
	if err != nil {
		return nil, m.located(err)
	}
	defer done()
	counts := map[string]int{}
	whole := onnxwire.Span{End: source.Size()}
	if err := countOperators(source, whole, onnxwire.ModelMessage, counts); err != nil {
		return nil, m.located(err)
	}
	return counts, nil
}

func countOperators(source onnxwire.Source, span onnxwire.Span, kind onnxwire.Message,
	counts map[string]int) error {
	return onnxwire.Walk(source, span, func(f onnxwire.Field) error {
		member := kind.Member(f.Number)
		switch member {
		case onnxwire.NodeMessage:
			n, err := onnxwire.NewReader(source).Node(f.Body)
			if err != nil {
				return err
			}
			counts[operatorName(n.Domain, n.Op)]++
		case onnxwire.OtherMessage, onnxwire.TensorMessage, onnxwire.SparseTensorMessage:
			return nil
		}
		return countOperators(source, f.Body, member, counts)
	})
}
