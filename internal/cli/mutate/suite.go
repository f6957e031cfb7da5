package mutate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/overlay"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// suite is the compiled tests of a package.
type suite struct {
	name   string // import path
	root   string // the module's folder
	copied string // a copy of the module, in which the binary runs
	dir    string // the package's folder in the copy
	binary string
	sum    string // SHA-256 of the binary
	ginkgo bool   // whether the binary has Ginkgo's flags
	tests  []string
}

// unit is a spec or a plain test: the smallest part of a suite that can run on its own.
type unit struct {
	*suite
	test  string   // the test function
	specs []string // Ginkgo's texts, with the suite's; several for an Ordered container
	name  string
	took  time.Duration
	uses  []overlay.Use
	// left says why the unit cannot detect faults: it was skipped, it hung, or it fails even on
	// unchanged files.
	left string
}

// compile builds the tests of the packages that the patterns name, and writes the binaries to
// folder.
func compile(ctx context.Context, folder string, patterns []string) (all []*suite, err error) {
	list, err := goCommand(ctx, append([]string{"list", "-f",
		"{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}\t{{.Module.Dir}}{{end}}"},
		patterns...)...)
	if err != nil {
		return nil, err
	}
	copies := map[string]string{}
	for line := range strings.Lines(string(list)) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		if len(parts) < 3 {
			continue
		}
		name, root := parts[0], parts[2]
		if copies[root] == "" {
			copies[root] = filepath.Join(folder, fmt.Sprint("module", len(copies)))
			if err := copyTree(root, copies[root]); err != nil {
				return nil, fmt.Errorf("copy the module %s: %w", root, err)
			}
		}
		inside, err := filepath.Rel(root, parts[1])
		if err != nil {
			return nil, err
		}
		s := &suite{name: name, root: root, copied: copies[root],
			dir:    filepath.Join(copies[root], inside),
			binary: filepath.Join(folder, fmt.Sprint(len(all), ".test"))}
		if _, err := goCommand(ctx, "test", "-vet=off", "-c", "-o", s.binary, name); err != nil {
			return nil, err
		}
		if s.sum, err = regular.Sum(s.binary); err != nil {
			return nil, err
		}
		tests, err := s.command(ctx, "", "-test.list=.", "-ginkgo.dry-run").Output()
		if s.ginkgo = err == nil; !s.ginkgo {
			tests, err = s.command(ctx, "", "-test.list=.").Output()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: list its tests: %w", name, err)
		}
		for test := range strings.Lines(string(tests)) {
			if test = strings.TrimSpace(test); !strings.HasPrefix(test, "Benchmark") {
				s.tests = append(s.tests, test)
			}
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no package with tests matches %s", strings.Join(patterns, " "))
	}
	return all, nil
}

func goCommand(ctx context.Context, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		err = fmt.Errorf("%w:\n%s", err, bytes.TrimSpace(slices.Concat(out, failed.Stderr)))
	}
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}

// command returns the command that runs the suite's binary. overlayFile names the file that says
// which files the binary opens in place of others; see package overlay. command removes the
// environment variable that would make the suite write golden files.
func (s *suite) command(ctx context.Context, overlayFile string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, s.binary, args...)
	c.Dir = s.dir
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, goldentree.EnvUpdate+"=") ||
			strings.HasPrefix(v, overlay.Variable+"=")
	})
	if overlayFile != "" {
		c.Env = append(c.Env, overlay.Variable+"="+overlayFile)
	}
	c.WaitDelay = 5 * time.Second // for programs that the suite started
	return c
}

// result is the outcome of a process that ran one test function, or some of its specs.
type result struct {
	output []byte
	failed error // how the process failed, or nil
	hung   bool
	specs  map[string]reportfile.Spec // by text, with the suite's; empty for a plain test
	order  []string
}

// run runs one test function. If the function runs a Ginkgo suite, specs selects the specs to run;
// an empty list selects all. The test process writes to folder, so parallel processes need
// different folders.
func (s *suite) run(ctx context.Context, folder string, o overlay.Overlay, test string,
	specs []string, limit time.Duration, extra ...string) (r result, err error) {
	file := filepath.Join(folder, "overlay.json")
	if err := writeJSON(file, o); err != nil {
		return r, err
	}
	args := append([]string{"-test.run=^" + regexp.QuoteMeta(test) + "$", "-test.count=1",
		"-test.timeout=0", "-test.v"}, extra...)
	report := filepath.Join(folder, "report.json")
	if s.ginkgo {
		args = append(args, "-ginkgo.no-color", "-ginkgo.json-report="+report)
		for _, text := range specs {
			args = append(args, "-ginkgo.focus=^"+regexp.QuoteMeta(text)+"$")
		}
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r.output, r.failed = s.command(limited, file, args...).CombinedOutput()
	if err := context.Cause(ctx); err != nil {
		return r, err
	}
	r.hung = limited.Err() != nil
	read, err := reportfile.Read(report)
	if errors.Is(err, os.ErrNotExist) || r.hung {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.specs = map[string]reportfile.Spec{}
	for _, suite := range read.Suites {
		for _, spec := range suite.Specs {
			if text := suite.SuiteDescription + " " + spec.FullText(); spec.IsSpec() {
				if before, twice := r.specs[text]; !twice || !before.Failed() {
					r.specs[text] = spec
				}
				r.order = append(r.order, text)
			}
		}
	}
	return r, nil
}

// failedUnit reports whether a spec or test failed in the process. A spec that did not run because
// BeforeSuite failed counts as failed.
func (r result) failedUnit(u *unit) bool {
	if len(u.specs) == 0 || len(r.specs) == 0 {
		return r.failed != nil
	}
	return slices.ContainsFunc(u.specs, func(text string) bool {
		spec := r.specs[text]
		return spec.Failed() || spec.State != reportfile.Passed && r.failed != nil
	})
}

// units lists the suite's specs and plain tests without running any Ginkgo spec.
func (s *suite) units(ctx context.Context, folder string) (all []*unit, err error) {
	for _, test := range s.tests {
		plain := &unit{suite: s, test: test, name: s.name + " " + test}
		all = append(all, plain)
		if !s.ginkgo {
			continue
		}
		dry, err := s.run(ctx, folder, overlay.Overlay{}, test, nil, time.Minute, "-ginkgo.dry-run")
		if err != nil {
			return nil, err
		}
		if err := os.RemoveAll(filepath.Join(folder, "report.json")); err != nil {
			return nil, err
		}
		if len(dry.specs) > 0 {
			all = append(all[:len(all)-1], plain.split(dry)...)
		}
	}
	return all, nil
}

// split returns the specs of a test function that runs a Ginkgo suite, each as a unit. The specs of
// an Ordered container depend on each other, so they form one unit.
func (u *unit) split(dry result) (all []*unit) {
	container := ""
	for i, text := range dry.order {
		spec := dry.specs[text]
		if slices.Contains(dry.order[:i], text) || spec.State != reportfile.Passed {
			continue // a text that occurs twice selects both specs
		}
		within := ""
		if spec.IsInOrderedContainer {
			within = spec.ContainerHierarchyTexts[0]
		}
		if within != "" && within == container {
			last := all[len(all)-1]
			last.specs = append(last.specs, text)
			continue
		}
		container = within
		one := *u
		one.specs, one.name = []string{text}, u.suite.name+" "+text
		all = append(all, &one)
	}
	return all
}
