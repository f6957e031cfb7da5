package main

import (
	"context"
	"fmt"
	"io"

	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/loaders"
)

// convertRequest is what `modelparity convert` is asked for.
type convertRequest struct {
	running
	outputs
	marks loaders.Selection
}

func (*convertRequest) sections() []section[convertRequest] {
	engines := func(r *convertRequest) *engineflags.Flags { return &r.engines }
	outputs := func(r *convertRequest) *outputs { return &r.outputs }
	engine := part("Engine", outputs, writes("--save-engine, -o, --output ENGINE", ""))
	engine.flags = append(engine.flags,
		arguments.Spelled("--convert-to TYPE", func(_ *convertRequest, words []string) error {
			if words[0] != "trt" {
				return fmt.Errorf("%q: only trt is built here; polygraphy convert has other targets",
					words[0])
			}
			return nil
		}))
	engine.flags = append(engine.flags, arguments.Lift(engines,
		engineFlags("--model-type TYPE", "--engine-capability CAPABILITY"))...)
	return []section[convertRequest]{
		engine, part("TensorRT", engines, append(engineFlags("--trt"), builderFlags...)...),
		markSection(func(r *convertRequest) *loaders.Selection { return &r.marks }),
		inputSection(func(r *convertRequest) *inputflags.Flags { return &r.inputs }),
		resultSection(outputs, printFlags),
	}
}

func (r *convertRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	out := r.Path("--save-engine")
	s, err := r.engines.ToBuild(given, out, r.marks, &r.inputs)
	if err != nil {
		return f, err
	}
	engine, err := s.Engine.Open(ctx, s.Model, s.Inputs)
	if err != nil {
		return f, err
	}
	return savedOnly(out), engine.Close()
}
