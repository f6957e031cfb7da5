package reorder_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
	"github.com/modelparity/modelparity/tensor/files"
)

func set(path string) (*tensor.Set, error) { return files.Read(path) }

func TestZoo(t *testing.T) {
	dir := os.Getenv("ZOO")
	if dir == "" {
		t.Skip()
	}
	only := regexp.MustCompile(os.Getenv("ONLY"))
	all, _ := filepath.Glob(dir + "/*/base.onnx")
	ctx := t.Context()
	results, alarms := 0, 0
	for _, path := range all {
		name := filepath.Base(filepath.Dir(path))
		if !only.MatchString(name) {
			continue
		}
		d := filepath.Dir(path)
		m := loaders.ONNX(path)
		in, err := set(d + "/base.in.npz")
		if err != nil {
			fmt.Println(name, err)
			continue
		}
		inputs := fixtures.Of(in)
		base, err := backends.RunIn(ctx, ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)), m, inputs)
		if err != nil {
			fmt.Println(name, "NO BASE", err)
			continue
		}
		start := time.Now()
		var n *compare.Noise
		n, err = noise.Measure(ctx, base.Subject())
		took := time.Since(start)
		if err != nil {
			fmt.Println(name, "NO NOISE", err)
			continue
		}
		oracle := map[string]float64{}
		if text, err := os.ReadFile(d + "/oracle"); err == nil {
			for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
				var k string
				var v float64
				fmt.Sscan(line, &k, &v)
				oracle[k] = v
			}
		}
		fmt.Printf("%s: %d runs %v %v %s", name, n.Runs, n.Reordered, took.Round(time.Millisecond), n.Moved)
		for _, o := range n.Outputs[0] {
			fmt.Printf("; %s σ/oracle %.3g ν %.1f", o.Name, o.RMS/oracle[o.Name], o.Independent)
		}
		fmt.Println()
		var others []struct {
			name string
			out  []*tensor.Set
		}
		paths, _ := filepath.Glob(d + "/out_*.npz")
		for _, p := range paths {
			s, err := set(p)
			if err != nil {
				fmt.Println(err)
				continue
			}
			others = append(others, struct {
				name string
				out  []*tensor.Set
			}{filepath.Base(p), []*tensor.Set{s}})
		}
		for _, e := range []backends.Engine{openvino.Engine(), tract.Engine()} {
			run, err := backends.RunIn(ctx, e, m, inputs)
			if err != nil {
				fmt.Printf("   %v cannot: %.90s\n", e, err)
				continue
			}
			others = append(others, struct {
				name string
				out  []*tensor.Set
			}{fmt.Sprint(e), run.Outputs()})
		}
		for _, o := range others {
			n.Sequential = strings.HasPrefix(o.name, "tract")
			report, err := compare.WithinNoise(o.out, base.Outputs(), n, compare.NoiseBars{}, compare.Options{AllowEmpty: true})
			if err != nil {
				fmt.Printf("   %s: %v\n", o.name, err)
				continue
			}
			results++
			worst := 0.0
			for i := range report.Outputs {
				for _, r := range report.Outputs[i].Results {
					worst = math.Max(worst, r.Value)
				}
			}
			if report.Verdict == compare.Fail {
				alarms++
				fmt.Printf("   ALARM %s: %.3g: %.400s\n", o.name, worst, report.Outputs[0].Reason)
			} else if os.Getenv("SHOW") != "" {
				fmt.Printf("   %s: %.3g\n", o.name, worst)
			}
		}
	}
	fmt.Println("results", results, "alarms", alarms)
}
