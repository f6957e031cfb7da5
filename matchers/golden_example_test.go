package matchers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// A run must match testdata/golden/<name>.json, which `go test -golden.update` writes. Here it
// is written by hand, in another folder.
func ExampleMatchGolden() {
	ctx := context.Background()
	defer elsewhere()()
	path, err := goldentree.Path("digits")
	if err != nil {
		fmt.Println(err)
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

// elsewhere goes to a new folder, where golden files are held and not written, and gives the way
// back.
func elsewhere() (back func()) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	asked := os.Getenv(goldentree.EnvUpdate)
	folder, err := os.MkdirTemp("", "example")
	must(err)
	here, err := os.Getwd()
	must(err)
	must(os.Chdir(folder))
	must(os.Setenv(goldentree.EnvUpdate, ""))
	return func() {
		must(os.Setenv(goldentree.EnvUpdate, asked))
		must(os.Chdir(here))
		must(os.RemoveAll(folder))
	}
}

func TestExamplesHoldWhereGoldenFilesAreUpdated(t *testing.T) {
	t.Setenv(goldentree.EnvUpdate, "1")
	t.Setenv("CI", "") // where it is set, GOLDEN_UPDATE=1 is refused
	back := elsewhere()
	mode, err := golden.Updating()
	back()
	if mode != golden.Off || err != nil {
		t.Errorf("mode %q, %v", mode, err)
	}
	if mode, err := golden.Updating(); mode != golden.Rewrite || err != nil {
		t.Errorf("afterwards: mode %q, %v", mode, err)
	}
}
