package ginkgoreport

import (
	"path"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
)

// LabelsOf returns labels for specs that run a model in an engine: "engine:tensorrt", "type:fp16"
// if the engine's options name a type, and "model:resnet18". Characters that labels cannot contain
// become "_". Either argument may be nil. In a table of specs:
//
//	Entry("in FP16", ginkgoreport.LabelsOf(engine, model), engine)
//
// and on the command line
//
//	go test ./... -ginkgo.label-filter='engine: containsAny tensorrt && !type: containsAny int8'
func LabelsOf(engine backends.Engine, model fixtures.Declaration) ginkgo.Labels {
	var labels ginkgo.Labels
	if engine != nil {
		words := strings.Fields(strings.ToLower(engine.String()))
		for i, word := range words {
			switch {
			case i == 0:
				labels = append(labels, "engine:"+labelled(word))
			case slices.Contains(reduced, word):
				labels = append(labels, "type:"+word)
			}
		}
	}
	if model != nil {
		name := path.Base(strings.ReplaceAll(model.Name(), `\`, "/"))
		labels = append(labels, "model:"+labelled(strings.TrimSuffix(name, path.Ext(name))))
	}
	return labels
}

// reduced lists the element types for which [LabelsOf] adds a label.
var reduced = []string{"fp16", "bf16", "tf32", "fp8", "fp4", "int8", "int4", "int64"}

// labelled replaces the characters that have a meaning in label filters.
func labelled(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("&|!,()/:{} ", r) {
			return '_'
		}
		return r
	}, text)
}
