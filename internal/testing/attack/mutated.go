//go:build linux || darwin

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// mutated runs every command that reads files on damaged copies of good files. Whatever the file
// contains, the command must end with exit status 0, 1 or 2, explain an error, and stay within its
// limits.
func mutated(ctx context.Context, a *attack, r *result) error {
	list, err := a.seeds()
	if err != nil {
		return err
	}
	var others [][]byte
	for _, s := range list {
		others = append(others, s.data)
	}
	plain, err := a.cost(ctx, "inspect", filepath.Join(a.root, gemm))
	if err != nil {
		return err
	}
	engine, err := a.cost(ctx, "run", filepath.Join(a.root, gemm), "--onnxrt", "--validate")
	if err != nil {
		return err
	}
	if err := a.good(ctx, list, max(plain, engine)); err != nil {
		return err
	}
	var lock sync.Mutex
	var wait sync.WaitGroup
	var w worst
	next := *firstTry
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for ctx.Err() == nil {
				lock.Lock()
				try := next
				next++
				stop := len(r.failures) >= maxFailures
				lock.Unlock()
				if stop {
					return
				}
				wrong, tryErr := a.try(ctx, list, others, try, plain, engine, &w)
				lock.Lock()
				r.tries++
				if tryErr != nil {
					err = tryErr
				}
				if wrong != "" {
					r.fail("-only mutated -seed %d -first %d: %s", *randomSeed, try, wrong)
				}
				lock.Unlock()
				if tryErr != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	r.notes = fmt.Sprintf("%d files of each format; %s", len(list), &w)
	return err
}

// good runs every command on undamaged files. A command that fails even on good files would not
// test anything.
func (a *attack) good(ctx context.Context, list []seed, base int64) error {
	for _, s := range list {
		for _, command := range s.commands {
			v := command(s.path, s.path)
			v.base, v.bytes = base, int64(len(s.data))
			var w worst
			wrong, err := a.strike(ctx, v, &w)
			if err == nil && w.statuses[2].Load() > 0 {
				wrong = "ends with 2"
			}
			if err == nil && wrong != "" {
				err = fmt.Errorf("modelparity %v on a good file: %s", v.args, wrong)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// try makes one mutation, which the seed and the number of the try determine, and runs a command on
// the result.
func (a *attack) try(ctx context.Context, list []seed, others [][]byte, try int,
	plain, engine int64, w *worst) (wrong string, err error) {
	r := rand.New(rand.NewPCG(*randomSeed, uint64(try))) //nolint:gosec // not for secrets
	s := list[r.IntN(len(list))]
	// Readers use parts of the name, so the copy keeps them: the extension and, at the start, the name
	// of an input.
	folder := filepath.Join(a.dir, fmt.Sprintf("try-%d", try))
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(folder, s.name)
	data := mutate(r, s.data, others)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", err
	}
	if s.name == "external.onnx" {
		err := os.WriteFile(filepath.Join(folder, "weights.bin"), make([]byte, 64), 0o600)
		if err != nil {
			return "", err
		}
	}
	v := s.commands[r.IntN(len(s.commands))](path, s.path)
	v.base, v.bytes = plain, int64(len(data)+len(s.data))
	if slices.Contains(v.args, "--onnxrt") {
		v.base = max(plain, engine)
	}
	wrong, err = a.strike(ctx, v, w)
	if wrong == "" && err == nil {
		err = os.RemoveAll(folder)
	}
	return wrong, err
}
