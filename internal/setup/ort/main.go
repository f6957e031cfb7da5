// Command ort fetches ONNX Runtime's shared library into the user's cache, where backends/ort
// finds it. `make setup` runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/modelparity/modelparity/internal/ortcache"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	path, err := ortcache.Fetch(ctx, os.Getenv("MODELPARITY_PYTHON"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot fetch ONNX Runtime:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}
