package main

import (
	"context"
	"io"

	"github.com/modelparity/modelparity/backends"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/twin"
)

// twinRequest is what `modelparity twin` is asked for.
type twinRequest struct {
	running
	outputs
}

// twinSections are the flags of twin as the help shows them.
func twinSections() []section[twinRequest] {
	runners, tensorrt := runnerSections(func(r *twinRequest) *running { return &r.running })
	return append(runners, inputSection(func(r *twinRequest) *inputflags.Flags { return &r.inputs }),
		resultSection(func(r *twinRequest) *outputs { return &r.outputs }, printFlags), tensorrt)
}

// twinCommand is `modelparity twin`.
func twinCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r twinRequest
	given, err := read(&r, flagsOf("the twin's outputs are held to equality", twinSections()), args)
	if r.help {
		help(stdout, "twin", twinSections()...)
		return equal
	}
	var f finding
	if err == nil {
		var found *twin.Report
		if found, err = r.twin(ctx, given); err == nil {
			f.differs = !found.Passes()
			f.text = func(volume int) string {
				if volume < 0 {
					return found.Verdicts()
				}
				return found.Text()
			}
		}
	}
	return r.conclude("twin", f, err, stdout, stderr)
}

// twin does what the request asks for.
func (r *twinRequest) twin(ctx context.Context, given []string) (*twin.Report, error) {
	_, subjects, err := r.subjects(given)
	if err != nil {
		return nil, err
	}
	var engines []backends.Engine
	for _, s := range subjects {
		engines = append(engines, s.Engine)
	}
	return twin.Among(ctx, subjects[0], engines...)
}
