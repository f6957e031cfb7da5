// Command onnx fetches the wheel of onnx that holds ONNX's node test cases, and prints its path.
// `make conformance` runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/pip"
)

// version is the last onnx whose wheel holds the cases as files: later ones make them in Python.
const version = "1.22.0"

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
	target := filepath.Join(cache, "modelparity", "onnx", version, "onnx.whl")
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(target), ".fetch-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // what is left behind is only a hidden folder
	wheel, err := pip.Download(ctx, os.Getenv("MODELPARITY_PYTHON"), "onnx=="+version, scratch)
	if err != nil {
		return "", err
	}
	return target, os.Rename(wheel, target)
}
