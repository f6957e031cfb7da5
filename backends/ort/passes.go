package ort

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/loaders"
)

// disabledPasses is the configuration entry that lists the optimiser passes to leave out, separated
// by ";". ONNX Runtime ignores names that it does not know.
const disabledPasses = "optimization.disable_specified_optimizers"

// rules lists the rewrite rules that two of the optimiser's passes apply. ONNX Runtime can leave
// out each rule, as it can leave out a pass, but its log names only the two passes.
var rules = map[string][]string{
	"Level1_RuleBasedTransformer": {"EliminateIdentity", "EliminateSlice", "UnsqueezeElimination",
		"EliminateDropout", "ExpandElimination", "CastElimination", "PreShapeNodeElimination",
		"NoopElimination", "DivMulFusion", "FuseReluClip", "GemmSumFusion", "GemmTransposeFusion",
		"NotWhereFusion", "CastChainElimination", "Pad_Fusion", "ConvAddFusion", "ConvMulFusion",
		"ConvBNFusion", "MatMul_BatchNormalization_Fusion", "LabelEncoderFusion"},
	"Level2_RuleBasedTransformer": {"ClipQuantRewrite", "ReluQuantRewrite"},
}

// passes implements [backends.Capabilities.Passes]. It learns from ONNX Runtime's log which passes
// changed the graph.
func (e engine) passes(ctx context.Context, model *loaders.Model) (names []string,
	optimised *loaders.Model, err error) {
	s, err := e.Settings()
	if err != nil {
		return nil, nil, err
	}
	logged := *s
	left := strings.Split(s.Config[disabledPasses], ";")
	logged.log = &onnxruntime.Log{From: onnxruntime.Info, Write: func(l onnxruntime.Line) {
		var name string
		changed := 0
		n, _ := fmt.Sscanf(l.Message, "GraphTransformer %s modified: %d", &name, &changed)
		if n < 2 || changed == 0 || slices.Contains(names, name) {
			return
		}
		names = append(names, name)
		for _, rule := range rules[name] {
			if !slices.Contains(left, rule) {
				names = append(names, rule)
			}
		}
	}}
	optimised, err = written(ctx, model, &logged)
	return names, optimised, err
}

// withoutPasses implements [backends.Capabilities.WithoutPasses].
func (e engine) withoutPasses(names []string) backends.Engine {
	if s, err := e.Settings(); err == nil && s.Config[disabledPasses] != "" {
		names = append([]string{s.Config[disabledPasses]}, names...)
	}
	return e.with(Config(disabledPasses, strings.Join(names, ";")))
}
