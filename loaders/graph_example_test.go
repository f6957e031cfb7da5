package loaders_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/loaders"
)

func ExampleModel_Describe() {
	described, err := loaders.ONNX("testdata/fp32_gemm.onnx").Describe(false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(described.Text(false))
	// Output:
	// fp32_gemm.onnx: 195 bytes, IR version 8, opset 17, made by heldout
	// inputs:
	//   X tensor(float)[2,3]
	// outputs:
	//   Y tensor(float)[2,4]
	// operators of 2 nodes:
	//      1 Gemm
	//      1 Relu
	// initializers: 2
}

// A part of a model is a model of its own: here all up to the tensor G.
func ExampleModel_Cut() {
	model := loaders.ONNX("testdata/fp32_gemm.onnx")
	part, err := model.Cut(nil, []loaders.Value{{Name: "G", Kind: loaders.Untyped}})
	if err != nil {
		log.Fatal(err)
	}
	nodes, err := part.Nodes()
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range nodes {
		fmt.Println(n.Op, n.Inputs, n.Outputs)
	}
	// Output:
	// Gemm [X W b] [G]
}

func ExampleModel_Save() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	model := loaders.ONNX("testdata/fp32_gemm.onnx")
	marked, err := model.Mark("G")
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(folder, "marked.onnx")
	if err := marked.Save(file); err != nil {
		log.Fatal(err)
	}
	outputs, err := loaders.ONNX(file).Outputs()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(outputs), outputs[1].Name)
	// Output:
	// 2 G
}
