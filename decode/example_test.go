package decode_test

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/tensor"
)

// Shorter sequences are padded on the left.
func ExampleTokens() {
	for set, err := range decode.Tokens([]int64{5, 17, 3}, []int64{8}).All() {
		ids, _ := set.Get("input_ids")
		mask, _ := set.Get("attention_mask")
		fmt.Println(ids.Float64s(), mask.Float64s(), err)
	}
	// Output:
	// [5 17 3 0 0 8] [1 1 1 0 0 1] <nil>
}

// Part locates a lost cache slot by token, layer and head. The engine here is a toy; ort.Engine()
// runs real models.
func ExamplePart() {
	ctx, model := context.Background(), usual()
	tokens := decode.Tokens([]int64{3, 1, 4})
	healthy, _ := backends.RunIn(ctx, decode.Engine(model), model, tokens)
	broken, _ := healthy.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		lost, _ := tensor.New(tensor.Shape{1, 1, 3, 1}, []float32{3, 0, 4.03125})
		return tensor.NewSet(tensor.Entry{Name: "present.0.key", Tensor: lost})
	})
	found, err := decode.Part(broken, healthy, compare.Within(1e-5, 1e-5, compare.Elementwise))
	fmt.Println(found.Position, found.Layer, found.Head, found.Part, err)
	// Output:
	// 1 0 0 key <nil>
}
