package loaders_test

import (
	"fmt"
	"log"

	"github.com/modelparity/modelparity/loaders"
)

func ExampleModel_Inputs() {
	model := loaders.ONNX("testdata/multi_output.onnx")
	inputs, err := model.Inputs()
	if err != nil {
		log.Fatal(err)
	}
	for _, input := range inputs {
		fmt.Println(input)
	}
	// Output:
	// A tensor(float)[2,3]
	// B tensor(float)[2,3]
}

func ExampleModel_Mark() {
	model := loaders.ONNX("testdata/fp32_gemm.onnx")
	names, err := model.Select(loaders.Selection{All: true})
	if err != nil {
		log.Fatal(err)
	}
	marked, err := model.Mark(names...)
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := marked.Outputs()
	if err != nil {
		log.Fatal(err)
	}
	for _, output := range outputs {
		fmt.Println(output)
	}
	// Output:
	// Y tensor(float)[2,4]
	// G untyped
}
