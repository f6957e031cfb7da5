package trt

import (
	"slices"
	"strings"
	"testing"
)

// FuzzLayerTypes reads what an inspector of a foreign plan might say.
func FuzzLayerTypes(f *testing.F) {
	f.Add(`{"Layers": ["conv1", {"LayerType": "gemm", "Inputs": [{"Format/Datatype": "Half"}]}]}`)
	f.Add(`{"Layers": [{"LayerType": "Myelin", "TacticName": "tf32", "Outputs": null}]}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, inspector string) {
		found := readLayerTypes([]byte(inspector))
		for _, flag := range append(slices.Clone(reduced), flagTF32) {
			said := found.use(flag)
			if strings.HasPrefix(said, notUsed) && (!found.details || found.silent > 0) {
				t.Errorf("%s: %q rests on less than every layer's types", flag, said)
			}
			if found.by[flag] > found.layers || found.silent > found.layers {
				t.Errorf("%s: more layers than there are: %+v", flag, found)
			}
		}
	})
}
