//go:build linux || darwin

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

// kills kills writers at random times, two at a time on one file. Afterwards the file must contain
// exactly what one of them wrote. Then it does the same to commands.
func kills(ctx context.Context, a *attack, r *result) error {
	folder := filepath.Join(a.dir, "kills")
	contents := map[string][]string{}
	for _, kind := range kinds {
		path := filepath.Join(folder, kind.name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for variant := range 2 {
			if err := write(path, variant); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			sum, err := sumOf(path)
			if err != nil {
				return err
			}
			contents[kind.name] = append(contents[kind.name], sum)
		}
	}
	commands, err := a.killable(ctx, folder)
	if err != nil {
		return err
	}
	whole := 0
	for try := *firstTry; ctx.Err() == nil && len(r.failures) < maxFailures; try++ {
		random := rand.New(rand.NewPCG(*randomSeed, uint64(try))) //nolint:gosec // not for secrets
		r.tries++
		if random.IntN(3) == 0 {
			c := commands[random.IntN(len(commands))]
			killed, err := a.kill(ctx, random, c.takes, append([]string{a.program}, c.args...))
			if err != nil {
				return err
			}
			whole += killed
			if wrong := c.damaged(ctx, a); wrong != "" {
				r.fail("seed %d, try %d: modelparity %v was killed: %s", *randomSeed, try, c.args, wrong)
			}
			continue
		}
		kind := kinds[random.IntN(len(kinds))]
		path := filepath.Join(folder, kind.name)
		one := []string{rig.Self(), "write", path}
		killed, err := a.kill(ctx, random, 150*time.Millisecond, one, one)
		if err != nil {
			return err
		}
		whole += killed
		sum, err := sumOf(path)
		if err != nil {
			return err
		}
		allowed := slices.Contains(contents[kind.name], sum)
		if kind.name == enginelock.Name { // merging writers produce intermediate contents
			_, err := enginelock.Read(path)
			allowed = err == nil
		}
		if !allowed {
			r.fail("seed %d, try %d: no writer wrote the contents of %s", *randomSeed, try, path)
		}
	}
	r.notes = fmt.Sprintf("%d processes died writing or about to; %d kinds of files, %d commands",
		whole, len(kinds), len(commands))
	return nil
}

// sumOf is the sha256 of a file that may be replaced at any time.
func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // it was only read
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// kill starts commands, kills them within a time, and returns how many were still running.
func (a *attack) kill(ctx context.Context, random *rand.Rand, within time.Duration,
	lines ...[]string) (killed int, err error) {
	var running []*exec.Cmd
	for _, line := range lines {
		c := exec.CommandContext(context.WithoutCancel(ctx), line[0], line[1:]...)
		c.Dir = a.dir
		if err := c.Start(); err != nil {
			return 0, err
		}
		running = append(running, c)
	}
	time.Sleep(time.Duration(random.Int64N(int64(within))))
	for _, c := range running {
		_ = c.Process.Kill() // it may have ended
	}
	for _, c := range running {
		if err := c.Wait(); err != nil && c.ProcessState.ExitCode() < 0 {
			killed++
		}
	}
	return killed, nil
}

// killed is a command whose results must be complete, however it ends.
type killed struct {
	args    []string
	takes   time.Duration
	results []string
	// readable is the command that must be able to read each result.
	readable []string
}

// damaged describes what is wrong with a result.
func (k killed) damaged(ctx context.Context, a *attack) string {
	for _, path := range k.results {
		c := exec.CommandContext(context.WithoutCancel(ctx), a.program, append(k.readable, path)...)
		if _, err := rig.Do(c); err != nil {
			return err.Error()
		}
	}
	return ""
}

// killable lists commands that write, each of which has run once.
func (a *attack) killable(ctx context.Context, folder string) ([]killed, error) {
	digits := filepath.Join(a.root, "example_test/digits/testdata/digits.onnx")
	to := func(name string) string { return filepath.Join(folder, name) }
	list := []killed{
		{args: []string{"run", digits, "--onnxrt", "--iterations", "20",
			"--save-outputs", to("saved.json"), "--save-inputs", to("saved-inputs.json")},
			results: []string{to("saved.json"), to("saved-inputs.json")}},
		{args: []string{"cut", digits, "-o", to("part.onnx"), "--to", "logits"},
			results: []string{to("part.onnx"), to("part.onnx.inputs.json")}},
	}
	for i, c := range list {
		began := time.Now()
		command := exec.CommandContext(ctx, a.program, c.args...)
		command.Dir = a.dir
		if _, err := rig.Do(command); err != nil {
			return nil, err
		}
		list[i].takes = time.Since(began)
		list[i].readable = []string{"inspect"}
	}
	return list, nil
}
