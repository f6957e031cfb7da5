//go:build linux || darwin

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// mutated runs every command that reads files on damaged copies of good files. Each command must
// exit with 0, 1 or 2, explain an error, and stay within its limits.
func mutated(ctx context.Context, a *attack, r *result) error {
	list, err := a.seeds()
	if err != nil {
		return err
	}
	plain, err := a.cost(ctx, "inspect", filepath.Join(a.root, gemm))
	if err != nil {
		return err
	}
	engine, err := a.cost(ctx, "run", filepath.Join(a.root, gemm), "--onnxrt", "--validate")
	if err != nil {
		return err
	}
	strike := func(s *seed, command, path string, size int, to *result) (string, error) {
		v := words(command, "BAD", path, "GOOD", s.path)
		v.base, v.bytes = plain, int64(size)
		if slices.Contains(v.args, "--onnxrt") {
			v.base = max(plain, engine)
		}
		return a.strike(ctx, v, to)
	}
	var others [][]byte
	for i := range list {
		s := &list[i]
		others = append(others, s.data)
		for _, command := range s.commands { // a command that fails on the good file would test nothing
			var good result
			wrong, err := strike(s, command, s.path, len(s.data), &good)
			if err == nil && (wrong != "" || good.statuses[2] > 0) {
				err = fmt.Errorf("modelparity %s fails on the good file %s: %s", command, s.path, wrong)
			}
			if err != nil {
				return err
			}
		}
	}
	// The seed and the number of the try determine a mutation.
	err = r.each(ctx, *firstTry, math.MaxInt, func(try int) (string, error) {
		random := rand.New(rand.NewPCG(*randomSeed, uint64(try))) //nolint:gosec // not for secrets
		s := &list[random.IntN(len(list))]
		// Readers use parts of the name, so the copy keeps them: the extension and, at the start, the
		// name of an input.
		folder := filepath.Join(a.dir, fmt.Sprintf("try-%d", try))
		path := filepath.Join(folder, s.name)
		data := mutate(random, s.data, others)
		l := &layout{dir: folder}
		l.file(string(data), s.name)
		l.file(string(make([]byte, 64)), weightsFile)
		if l.err != nil {
			return "", l.err
		}
		command := s.commands[random.IntN(len(s.commands))]
		wrong, err := strike(s, command, path, len(data)+len(s.data), r)
		if wrong == "" && err == nil {
			return "", os.RemoveAll(folder)
		}
		return fmt.Sprintf("-only mutated -seed %d -first %d: %s", *randomSeed, try, wrong), err
	})
	r.notes = fmt.Sprintf("copies of %d good files; %s", len(list), r.costs())
	return err
}
