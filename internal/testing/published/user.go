//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

// user has a home folder, which contains an empty module.
type user struct {
	home, module string
	docs         string // folder of the pages
	path         string // the variable PATH
	environment  []string
}

// newUser creates a user without settings, for whom third-party modules are already downloaded.
func newUser(ctx context.Context, home, proxy, docs string) (*user, error) {
	u := &user{home: home, module: filepath.Join(home, "module"), docs: docs}
	if err := errors.Join(os.RemoveAll(home), os.MkdirAll(u.module, 0o755)); err != nil {
		return nil, err
	}
	settings := map[string]string{}
	for _, name := range []string{"GOPROXY", "GOMODCACHE", "GOCACHE"} {
		value, err := rig.Run(ctx, docs, nil, "go", "env", name)
		if err != nil {
			return nil, err
		}
		settings[name] = value
	}
	// Settings of this project or of the caller, such as CI, would change what the commands do.
	ours := regexp.MustCompile(`^(HOME|PATH|CI|VIRTUAL_ENV|PYTHON(HOME|PATH)|XDG_\w+|GO[A-Z]\w+|` +
		`MODELPARITY_\w+|ONNXRUNTIME_\w+|GOLDEN_UPDATE)=`)
	u.environment = slices.DeleteFunc(os.Environ(), ours.MatchString)
	folders := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "modelparity"))
		return err == nil
	})
	u.path = strings.Join(folders, string(filepath.ListSeparator))
	u.environment = append(u.environment, "HOME="+home, "GOCACHE="+settings["GOCACHE"],
		"GOPROXY=file://"+proxy+",file://"+settings["GOMODCACHE"]+"/cache/download,"+
			settings["GOPROXY"],
		"GOSUMDB=off", // the release is not published
		"GOFLAGS=-modcacherw")
	_, err := u.types(ctx, "go mod init example.com/user\ngit init -q")
	return u, err
}

// types runs lines as a shell script in the module's folder, and returns their output.
func (u *user) types(ctx context.Context, lines string, environment ...string) (string, error) {
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		fmt.Println("  $", strings.TrimSpace(line))
	}
	cmd := exec.CommandContext(ctx, "sh", "-e", "-c", lines)
	cmd.Dir = u.module
	cmd.Env = slices.Concat(u.environment, []string{"PATH=" + u.path}, environment)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return string(out), err
}

// follow writes the first spec in getting-started.md and runs the commands of a page of the
// documentation. Then it replaces the Expect of this spec by the second Expect in
// getting-started.md, and compiles the spec ([user.other]). Finally, it runs the commands that
// failure messages name ([user.remedies]).
func (u *user) follow(ctx context.Context, page string) error {
	scripts, err := u.blocks(page, "sh")
	if err != nil {
		return err
	}
	lines := strings.Join(slices.DeleteFunc(scripts, func(block string) bool {
		return !strings.Contains(block, "go install ") && !strings.Contains(block, "go mod tidy")
	}), "")
	before, after, _ := strings.Cut(lines, "go mod tidy")
	name := regexp.MustCompile(`go test \./(\w+) -golden\.update`).FindStringSubmatch(after)
	if name == nil {
		return fmt.Errorf("the page has no command that writes golden files:\n%s", lines)
	}
	if out, err := u.types(ctx, before); err != nil {
		return err
	} else if !strings.Contains(out, "modelparity.lock; commit it") {
		return fmt.Errorf("modelparity setup does not report that it wrote modelparity.lock:\n%s", out)
	}
	u.path += ":" + u.home + "/go/bin"
	spec := filepath.Join(u.module, name[1])
	if err := u.write(spec); err != nil {
		return err
	}
	if _, err := u.types(ctx, "go mod tidy"+after); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(spec, "testdata", "golden", "resnet18.json")); err != nil {
		return err
	}
	if err := u.other(ctx, spec); err != nil {
		return err
	}
	return u.remedies(ctx)
}

// other replaces the spec's Expect by the one that getting-started.md shows in its second block of
// Go, and compiles the result.
func (u *user) other(ctx context.Context, spec string) error {
	path := filepath.Join(spec, "resnet_test.go")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	code, err := u.blocks("docs/getting-started.md", "go")
	if err != nil {
		return err
	}
	before, _, _ := strings.Cut(string(text), "\tg.Expect(")
	changed := before + code[1] + "}\n"
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		return err
	}
	_, err = u.types(ctx, "go vet ./...")
	return errors.Join(err, os.WriteFile(path, text, 0o644))
}

// remedies removes the engine and runs the command that the failure message then names, once with
// modelparity.lock and once without. Finally, it runs the commands of docs/ci.md.
func (u *user) remedies(ctx context.Context) error {
	lock := filepath.Join(u.module, "modelparity.lock")
	// An ONNX Runtime in the machine's Python would be found, so hide that Python.
	hidden := filepath.Join(u.home, "hidden")
	python := filepath.Join(hidden, "python3")
	if err := errors.Join(os.MkdirAll(hidden, 0o755),
		os.WriteFile(python, []byte("#!/bin/sh\nexit 1\n"), 0o755)); err != nil {
		return err
	}
	for _, reason := range []string{"which " + lock + " requires", "no ONNX Runtime in the cache"} {
		if err := os.RemoveAll(filepath.Join(u.home, ".cache", "modelparity")); err != nil {
			return err
		}
		out, err := u.types(ctx, "go test ./...", "MODELPARITY_REQUIRE=ort",
			"PATH="+hidden+":"+u.path)
		if err == nil || !strings.Contains(out, "ort is missing: ") || !strings.Contains(out, reason) {
			return fmt.Errorf("without an engine, go test must fail and print %q:\n%s", reason, out)
		}
		said := regexp.MustCompile("; run `([^`]+)`").FindStringSubmatch(out)
		if said == nil {
			return fmt.Errorf("the failure message names no command that fetches the engine:\n%s", out)
		}
		if _, err := u.types(ctx, said[1]+"\ngo test ./...", "MODELPARITY_REQUIRE=ort"); err != nil {
			return err
		}
		if err := os.Remove(lock); err != nil { // setup wrote or kept it
			return err
		}
	}
	jobs, err := u.blocks("docs/ci.md", "yaml")
	if err != nil {
		return err
	}
	var lines []string
	for line := range strings.Lines(jobs[0]) {
		if line, found := strings.CutPrefix(line, "- run: "); found {
			lines = append(lines, line)
		}
	}
	_, err = u.types(ctx, strings.Join(lines, ""), "CI=true", "MODELPARITY_REQUIRE=ort")
	return err
}

// write writes the Go package that the page getting-started shows, and a model for it, into the
// folder spec.
func (u *user) write(spec string) error {
	code, err := u.blocks("docs/getting-started.md", "go")
	if err != nil {
		return err
	}
	data := filepath.Join(spec, "testdata")
	return errors.Join(os.MkdirAll(data, 0o755),
		os.WriteFile(filepath.Join(data, "resnet18.onnx"), model(), 0o644),
		os.WriteFile(filepath.Join(spec, "resnet_test.go"), []byte(code[0]), 0o644))
}

// model returns a model with the same input as the ResNet in getting-started.md, but far smaller:
// it computes the mean of each channel, and from these the scores of four classes.
func model() []byte {
	return onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "GlobalAveragePool", Name: "pool", In: []string{"image"}, Out: []string{"pooled"}},
			{Op: "Flatten", Name: "flatten", In: []string{"pooled"}, Out: []string{"means"}},
			{Op: "MatMul", Name: "fc", In: []string{"means", "fc.weight"}, Out: []string{"scores"}}},
		Initializers: []onnxtest.Tensor{{Name: "fc.weight", Type: 1, Dims: []int64{3, 4},
			Raw: onnxtest.Float32s(1, 1, 2, -1, 3, 1, -2, 1, 1, 2, 3, 4)}},
		Inputs:  []onnxtest.Value{{Name: "image", Elem: 1, Dims: []any{"batch", 3, 224, 224}}},
		Outputs: []onnxtest.Value{{Name: "scores", Elem: 1, Dims: []any{"batch", 4}}},
	}}.Bytes()
}

// blocks returns the fenced code blocks of a page in the given language. A page without any is an
// error.
func (u *user) blocks(page, language string) (all []string, err error) {
	text, err := os.ReadFile(filepath.Join(u.docs, page))
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").
		FindAllStringSubmatch(string(text), -1) {
		all = append(all, match[1])
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s has no code blocks in %s", page, language)
	}
	return all, err
}
