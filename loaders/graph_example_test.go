package loaders_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/loaders"
)

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
