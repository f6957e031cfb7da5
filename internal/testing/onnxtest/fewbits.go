package onnxtest

// FewBits is a MatMul of x [4,256] and a weight [256,64]. The weight is int8, or int4 if int4 is
// true. A DequantizeLinear converts it, with one scale for every 32 rows of a column.
func FewBits(int4 bool) Model {
	elem, data := int32(3), fewBits(wide*narrow)
	if int4 {
		elem, data = 22, data[:wide*narrow/2]
	}
	axis, block := int64(0), int64(perScale)
	return Model{IR: 10, Opsets: map[string]int64{"": 21}, Graph: Graph{
		Nodes: []Node{
			{Op: "DequantizeLinear", Name: "weight", In: []string{"q", "scale"}, Out: []string{"w"},
				Attrs: []Attr{{Name: "axis", Int: &axis}, {Name: "block_size", Int: &block}}},
			{Op: "MatMul", Name: "product", In: []string{"x", "w"}, Out: []string{"y"}}},
		Initializers: []Tensor{{Name: "q", Type: elem, Dims: []int64{wide, narrow}, Raw: data},
			scales(wide/perScale, narrow)},
		Inputs:  []Value{{Name: "x", Elem: 1, Dims: []any{4, wide}}},
		Outputs: []Value{{Name: "y", Elem: 1, Dims: []any{4, narrow}}},
	}}
}

// MatMulNBits is a model of ONNX Runtime's operator MatMulNBits, with 4-bit weights and the given
// accuracy level.
func MatMulNBits(level int64) Model {
	rows, columns, bits, block := int64(wide), int64(narrow), int64(4), int64(perScale)
	return Model{IR: 10, Opsets: map[string]int64{"": 21, "com.microsoft": 1}, Graph: Graph{
		Nodes: []Node{{Op: "MatMulNBits", Domain: "com.microsoft", Name: "product",
			In: []string{"x", "q", "scale"}, Out: []string{"y"}, Attrs: []Attr{
				{Name: "K", Int: &rows}, {Name: "N", Int: &columns}, {Name: "bits", Int: &bits},
				{Name: "block_size", Int: &block}, {Name: "accuracy_level", Int: &level}}}},
		Initializers: []Tensor{{Name: "q", Type: 2, Dims: []int64{narrow, wide / perScale,
			perScale / 2}, Raw: fewBits(narrow * wide / 2)}, scales(narrow, wide/perScale)},
		Inputs:  []Value{{Name: "x", Elem: 1, Dims: []any{4, wide}}},
		Outputs: []Value{{Name: "y", Elem: 1, Dims: []any{4, narrow}}},
	}}
}

const wide, narrow, perScale = 256, 64, 32

// fewBits returns n bytes. [FewBits] and [MatMulNBits] use these bytes as their weights. The bytes
// look random, but are the same each time.
func fewBits(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(uint32(i+1) * 0x9e3779b1 >> 24)
	}
	return data
}

func scales(rows, columns int64) Tensor {
	values := make([]float32, rows*columns)
	for i := range values {
		values[i] = float32(i%7+1) / 256
	}
	return Tensor{Name: "scale", Type: 1, Dims: []int64{rows, columns}, Raw: Float32s(values...)}
}
