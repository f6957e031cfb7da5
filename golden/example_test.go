package golden_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// A golden file is a run that was written down, with what made it.
func ExampleWrite() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	outputs, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of[float32](1, 2)})
	if err != nil {
		log.Fatal(err)
	}
	run := backends.NewRun(backends.Provenance{Backend: "onnxruntime", Version: "1.31.1"},
		backends.Iteration{Outputs: outputs})
	path := filepath.Join(folder, "digits.json")
	if err := golden.Write(path, run, golden.Options{}); err != nil {
		log.Fatal(err)
	}
	read, err := golden.ReadReference(context.Background(), path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Run.Provenance)
	fmt.Println(read.Run.Outputs()[0].GomegaString())
	// Output:
	// onnxruntime 1.31.1
	// y: float32[2] [1 2]
}

// Runs that Polygraphy saved are read as they are, and so are npz and the other formats.
func ExampleReadRuns() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	outputs, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of[float32](1, 2)})
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(folder, "run.npz")
	if err := runs.WriteRuns(path, []runs.Named{{Name: "mine",
		Run: backends.NewRun(backends.Provenance{}, backends.Iteration{Outputs: outputs})}}); err != nil {
		log.Fatal(err)
	}
	saved, err := runs.ReadRuns(context.Background(), path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(saved), saved[0].Run.Len(), saved[0].Run.Outputs()[0].Names())
	// Output:
	// 1 1 [y]
}
