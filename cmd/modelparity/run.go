package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/loaders"
)

// runCommand is `modelparity run`.
func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r request
	given, err := r.parse(runFlags(), args, true)
	if r.help {
		help(stdout, "run", runSections...)
		return equal
	}
	var found outcome
	if err == nil {
		found, err = r.run(ctx, given)
	}
	return r.conclude("run", found, err, stdout, stderr)
}

// run does what the request asks for.
func (r *request) run(ctx context.Context, files []string) (found outcome, err error) {
	if err := r.sensible(files); err != nil {
		return found, err
	}
	options, err := r.comparison.Options()
	if err != nil {
		return found, err
	}
	// What can be wrong with files is found out before the model runs.
	loaded, err := golden.ReadAll(r.loadOutputs)
	if err != nil {
		return found, err
	}
	if err := r.comparable(len(loaded)); err != nil {
		return found, err
	}
	var ran []golden.Named
	if len(r.runners) > 0 {
		if ran, err = r.runAll(ctx, files[0], &found); err != nil {
			return found, err
		}
	} else if len(files) > 0 {
		found.Notes = append(found.Notes, "nothing runs "+files[0]+", for want of a runner such as "+
			"--onnxrt; the saved runs are compared")
	}
	if runs := append(ran, loaded...); len(runs) > 1 || options.Finite { // else it was only saved
		found.Pairs, err = golden.ComparePairs(ctx, runs, options)
	}
	return found, err
}

// sensible refuses requests that cannot be meant.
func (r *request) sensible(files []string) error {
	switch {
	case len(files) > 1:
		return fmt.Errorf("run takes one model, got %s; a runner may be given several times, and "+
			"saved runs belong to --load-outputs", strings.Join(files, " "))
	case len(files) == 0 && len(r.runners) > 0:
		return errors.New("there is no model to run; write modelparity run net.onnx --onnxrt")
	case len(r.runners) == 0 && len(r.loadOutputs) == 0:
		return errors.New("nothing runs and nothing is loaded, so there is nothing to compare; " +
			"write --onnxrt to run the model, --load-outputs FILE to compare saved runs")
	case len(r.runners) == 0 && (r.saveInputs != "" || r.saveOutputs != "" || r.saveBlobs != ""):
		return errors.New("nothing runs, so there is nothing to save; write --onnxrt to run the model")
	case len(r.trt.Given()) > 0 && !slices.Contains(r.runners, "--trt"):
		return fmt.Errorf("%s is for TensorRT; add --trt, or drop it: ONNX Runtime computes in the "+
			"model's own types", r.trt.Given()[0])
	case r.castInputs && len(r.loadInputs) == 0:
		return errors.New("--cast-inputs casts saved inputs, and there are none: add --load-inputs " +
			"FILE; random ones have the model's types")
	case len(r.loadInputs) > 0 && (r.seed != nil || r.iterations != nil ||
		len(r.shapes) > 0 || len(r.ranges) > 0):
		return errors.New("--load-inputs takes the inputs as they were saved; drop --input-shapes, " +
			"--seed, --val-range and --iterations, which are for generated ones")
	}
	return nil
}

// comparable refuses a request that would compare nothing and call that a pass. A single run may
// be saved, when no comparison was asked for, or be looked over for NaN.
func (r *request) comparable(loaded int) error {
	if len(r.runners)+loaded != 1 || r.comparison.Finite() {
		return nil
	}
	saves := r.saveInputs != "" || r.saveOutputs != "" || r.saveBlobs != ""
	asked := r.comparison.Asked() || r.outputDir == "" && r.report != "" || r.accuracy != ""
	if saves && !asked {
		return nil
	}
	return errors.New("one run alone has nothing to be compared with; add --load-outputs FILE or " +
		"another runner, or --save-outputs FILE to save it for later, or --validate to look for NaN")
}

// runAll runs the model once for every runner, and saves what is to be saved.
func (r *request) runAll(ctx context.Context, model string, found *outcome) (
	[]golden.Named, error) {
	file := loaders.ONNX(model)
	marked, wanted, err := r.mark(file)
	if err != nil {
		return nil, err
	}
	declared, err := r.declared(file)
	if err != nil {
		return nil, err
	}
	source := r.inputs(declared)
	if err := r.keepInputs(source, found); err != nil {
		return nil, err
	}
	found.Notes = append(found.Notes, source.Notes()...)
	var ran []golden.Named
	for i, runner := range r.runners {
		run, err := r.runOne(ctx, runner, marked, source)
		if err == nil {
			run, err = only(run, wanted)
		}
		if err != nil {
			return nil, err
		}
		ran = append(ran, golden.Named{Name: runnerName(r.runners[:i+1]), Run: run})
	}
	return ran, r.keepOutputs(ran, found)
}

// runnerName is Polygraphy's name for the last of the runners, without the date that makes it
// another one every time: "onnxrt-runner-N1" is the second ONNX Runtime.
func runnerName(runners []string) string {
	last := runners[len(runners)-1]
	n := 0
	for _, runner := range runners[:len(runners)-1] {
		if runner == last {
			n++
		}
	}
	return fmt.Sprintf("%s-runner-N%d", strings.TrimPrefix(last, "--"), n)
}
