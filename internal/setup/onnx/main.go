// Command onnx downloads the wheel of onnx that contains ONNX's node test cases, and prints its
// path. `make conformance` runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	_, version := wheel.Release()
	target := filepath.Join(cache, "modelparity", "onnx", version, "onnx.whl")
	switch sum, err := engines.Sum(target); {
	case err == nil && sum == wheel.SHA256:
		return target, nil
	case err == nil:
		fmt.Fprintf(os.Stderr, "%s is damaged: it has the sha256 %s; fetching it again\n", target, sum)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(target), ".fetch-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // at worst, a hidden folder remains
	path, err := pip.Download(ctx, os.Getenv("MODELPARITY_PYTHON"), wheel, scratch)
	if err != nil {
		return "", err
	}
	return target, os.Rename(path, target)
}
