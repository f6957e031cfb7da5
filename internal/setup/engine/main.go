// Command engine downloads engines into the user's cache, where their backends find them. Its
// arguments are names of engines in the catalogue; the default is ONNX Runtime. `make setup` runs
// it. It does not write modelparity.lock: this module contains the catalogue itself, so `go test`
// notices an upgrade.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"

	"github.com/modelparity/modelparity/internal/engines"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	names := os.Args[1:]
	if len(names) == 0 {
		names = []string{engines.ONNXRuntime.Name}
	}
	for _, name := range names {
		path, err := fetch(ctx, name)
		if err != nil {
			fmt.Fprintf(os.Stderr, "cannot fetch %s: %v\n", name, err)
			os.Exit(1)
		}
		fmt.Println(path)
	}
}

func fetch(ctx context.Context, name string) (string, error) {
	all := engines.Catalogue()
	i := slices.IndexFunc(all, func(e engines.Engine) bool { return e.Name == name })
	if i < 0 {
		return "", fmt.Errorf("not in the catalogue")
	}
	return all[i].Fetch(ctx, os.Getenv("MODELPARITY_PYTHON"), os.Stderr)
}
