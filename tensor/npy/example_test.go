package npy_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/modelparity/modelparity/tensor"
	"github.com/modelparity/modelparity/tensor/npy"
)

func ExampleWrite() {
	var file bytes.Buffer
	if err := npy.Write(&file, tensor.Of[float32](1, 2, 3)); err != nil {
		log.Fatal(err)
	}
	t, err := npy.Decode(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t)
	// Output:
	// float32[3] [1 2 3]
}

// The archive is what numpy.savez writes, and numpy.load reads.
func ExampleWriteArchive() {
	set, err := tensor.NewSet(
		tensor.Entry{Name: "image", Tensor: tensor.Of[uint8](0, 255)},
		tensor.Entry{Name: "label", Tensor: tensor.Scalar[int64](7)})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := npy.WriteArchive(&file, set); err != nil {
		log.Fatal(err)
	}
	read, err := npy.ReadArchive(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Names())
	// Output:
	// [image label]
}
