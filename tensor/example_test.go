package tensor_test

import (
	"fmt"
	"log"

	"github.com/modelparity/modelparity/tensor"
)

func ExampleNew() {
	t, err := tensor.New(tensor.Shape{2, 3}, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.ElementType(), t.Shape(), t.Len())
	fmt.Println(t)
	// Output:
	// float32 [2,3] 6
	// float32[2,3] [1 2 3 4 5 6]
}

// Of makes a 1-d tensor of the type that its values have.
func ExampleOf() {
	fmt.Println(tensor.Of[int64](3, 5))
	fmt.Println(tensor.Of(true, false))
	fmt.Println(tensor.Of(tensor.BF16FromFloat32(1.005))) // bfloat16 has 8 bits of mantissa
	// Output:
	// int64[2] [3 5]
	// bool[2] [true false]
	// bfloat16[1] [1.0078125]
}

// A set keeps its order, and refuses a name that comes twice.
func ExampleNewSet() {
	set, err := tensor.NewSet(
		tensor.Entry{Name: "logits", Tensor: tensor.Of[float32](0.5, 2)},
		tensor.Entry{Name: "classes", Tensor: tensor.Scalar[int64](1)})
	if err != nil {
		log.Fatal(err)
	}
	for name, t := range set.All() {
		fmt.Println(name, t)
	}
	_, err = tensor.NewSet(
		tensor.Entry{Name: "y", Tensor: tensor.Of[int8](1)},
		tensor.Entry{Name: "y", Tensor: tensor.Of[int8](2)})
	fmt.Println(err != nil)
	// Output:
	// logits float32[2] [0.5 2]
	// classes int64[] [1]
	// true
}

// Convert rounds to the nearest value of the other type.
func ExampleTensor_Convert() {
	half, err := tensor.Of[float32](1, 65504, 1e-8).Convert(tensor.Float16)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(half)
	// Output:
	// float16[3] [1 65504 0]
}
