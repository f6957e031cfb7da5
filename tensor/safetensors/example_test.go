package safetensors_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/modelparity/modelparity/tensor"
	"github.com/modelparity/modelparity/tensor/safetensors"
)

func ExampleWrite() {
	set, err := tensor.NewSet(tensor.Entry{Name: "weight", Tensor: tensor.Of[float32](0.25, -1)})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := safetensors.Write(&file, set); err != nil {
		log.Fatal(err)
	}
	read, err := safetensors.Decode(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.GomegaString())
	// Output:
	// weight: float32[2] [0.25 -1]
}
