package ginkgoreport

import (
	"path"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
)

// LabelsOf gives labels for specs of a model in an engine: "engine:tensorrt", "type:fp16" where the
// engine's options name one, and "model:resnet18". What a label cannot hold becomes "_". Either may
// be nil. In a table of specs:
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

// reduced are the element types by which engines are told apart.
var reduced = []string{"fp16", "bf16", "tf32", "fp8", "fp4", "int8", "int4", "int64"}

// labelled is a text with nothing in it that a filter of labels gives a meaning to.
func labelled(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("&|!,()/:{} ", r) {
			return '_'
		}
		return r
	}, text)
}
