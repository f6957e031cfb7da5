package matchers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/golden"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// A run is held to testdata/golden/<name>.json, which `go test -golden.update` writes. Here it
// is written by hand, in another folder.
func ExampleMatchGolden() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	here, err := os.Getwd()
	if err == nil {
		err = os.Chdir(folder)
		defer func() { _ = os.Chdir(here) }()
	}
	path, wrong := golden.Path("digits")
	if err != nil || wrong != nil {
		fmt.Println(err, wrong)
		return
	}
	fmt.Println(filepath.ToSlash(path))

	shipped, err := fake.New(fake.Output("logits", tensor.Of[float32](1, 2, 3))).Run(ctx, inputs())
	if err == nil {
		err = golden.Write(path, shipped, golden.Options{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(MatchGolden("digits").Match(shipped))
	moved := fake.New(fake.Output("logits", tensor.Of[float32](1, 2, 3.001)))
	run, err := moved.Run(ctx, inputs())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(MatchGolden("digits").Match(run))
	fmt.Println(MatchGolden("digits").Within(1e-2, 0, Elementwise).Match(run))
	// Output:
	// testdata/golden/digits.json
	// true <nil>
	// false <nil>
	// true <nil>
}
