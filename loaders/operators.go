package loaders

import (
	"strings"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Operators counts the model's nodes by operator, with its domain where that is not ONNX's own, in
// the bodies of If, Loop and Scan and in functions too. A function counts once, however often it is
// called.
func (m *Model) Operators() (map[string]int, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	source, done, err := m.file.Open()
	if err != nil {
		return nil, m.file.Located(err)
	}
	defer done()
	counts := map[string]int{}
	whole := onnxwire.Span{End: source.Size()}
	if err := countOperators(source, whole, onnxwire.ModelMessage, counts); err != nil {
		return nil, m.file.Located(err)
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
			counts[onnxfile.OperatorName(n.Domain, n.Op)]++
		case onnxwire.OtherMessage, onnxwire.TensorMessage, onnxwire.SparseTensorMessage,
			onnxwire.TrainingMessage:
			return nil
		}
		return countOperators(source, f.Body, member, counts)
	})
}

// drawing are the operators that draw random numbers, ONNX's and those of ONNX Runtime.
var drawing = map[string]bool{"Bernoulli": true, "Multinomial": true, "RandomNormal": true,
	"RandomNormalLike": true, "RandomUniform": true, "RandomUniformLike": true, "Sampling": true,
	"BiasDropout": true, "BitmaskDropout": true, "BitmaskBiasDropout": true}

// trainingDropout is the version of ONNX's operators from which on Dropout may draw.
const trainingDropout = 12

// DrawsNumbers reports whether a run may draw random numbers: whether the model has an operator
// that does, such as RandomNormal, or a Dropout that can be told to train. Engines let the
// generators go on from run to run, so that the first run of an open model differs from the second.
func (m *Model) DrawsNumbers() (bool, error) {
	operators, err := m.Operators()
	if err != nil {
		return false, err
	}
	head, err := m.Head()
	if err != nil {
		return false, err
	}
	for operator := range operators {
		if drawing[operator[strings.LastIndex(operator, ".")+1:]] {
			return true, nil
		}
	}
	for _, o := range head.Opsets {
		if o.Domain == "" && o.Version >= trainingDropout && operators["Dropout"] > 0 {
			return true, nil
		}
	}
	return false, nil
}
