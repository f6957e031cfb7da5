package onnxpb

import "github.com/modelparity/modelparity/tensor"

// dataType describes one value of TensorProto.DataType.
type dataType struct {
	number  int32
	storage int // the field that holds the values, unless they are in raw_data
	elem    tensor.ElementType
}

// Numbers of the fields of TensorProto that hold values.
const (
	floatData  = 4
	int32Data  = 5
	stringData = 6
	int64Data  = 7
	rawData    = 9
	doubleData = 10
	uint64Data = 11
)

// dataTypes lists the data types of onnx.proto. complex64 (14) and complex128 (15) are missing,
// because package tensor does not support them.
var dataTypes = []dataType{
	{1, floatData, tensor.Float32},
	{2, int32Data, tensor.Uint8},
	{3, int32Data, tensor.Int8},
	{4, int32Data, tensor.Uint16},
	{5, int32Data, tensor.Int16},
	{6, int32Data, tensor.Int32},
	{7, int64Data, tensor.Int64},
	{8, stringData, tensor.String},
	{9, int32Data, tensor.Bool},
	{10, int32Data, tensor.Float16},
	{11, doubleData, tensor.Float64},
	{12, uint64Data, tensor.Uint32},
	{13, uint64Data, tensor.Uint64},
	{16, int32Data, tensor.BFloat16},
	{17, int32Data, tensor.Float8E4M3FN},
	{18, int32Data, tensor.Float8E4M3FNUZ},
	{19, int32Data, tensor.Float8E5M2},
	{20, int32Data, tensor.Float8E5M2FNUZ},
	{21, int32Data, tensor.Uint4},
	{22, int32Data, tensor.Int4},
	{23, int32Data, tensor.Float4E2M1},
	{24, int32Data, tensor.Float8E8M0},
	{25, int32Data, tensor.Uint2},
	{26, int32Data, tensor.Int2},
}

// byNumber returns the data type with the given number in onnx.proto.
func byNumber(number int32) (dataType, bool) {
	for _, d := range dataTypes {
		if d.number == number {
			return d, true
		}
	}
	return dataType{}, false
}

// byElement returns the data type for an element type.
func byElement(elem tensor.ElementType) (dataType, bool) {
	for _, d := range dataTypes {
		if d.elem == elem {
			return d, true
		}
	}
	return dataType{}, false
}
