package main

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/report/file"
	"github.com/modelparity/modelparity/report/merge"
	"github.com/modelparity/modelparity/report/pages"
)

// reportRequest is what `modelparity report` is asked for.
type reportRequest struct{ outputs }

func (*reportRequest) sections() []section[reportRequest] {
	of := func(r *reportRequest) *outputs { return &r.outputs }
	return []section[reportRequest]{{"Flags", arguments.Lift(of, []arguments.Flag[outputs]{
		writes("--output, -o FILE", ""),
		arguments.Spelled("--help, -h", arguments.Set(func(o *outputs) *bool { return &o.help })),
	})}}
}

func (r *reportRequest) do(ctx context.Context, given []string, _ io.Writer) (finding, error) {
	switch {
	case len(given) == 0:
		return finding{}, errors.New("name the reports to make a page of, or say merge")
	case given[0] == "merge":
		return r.merge(ctx, given[1:])
	}
	return r.page(ctx, given)
}

// page writes a page about reports.
func (r *reportRequest) page(ctx context.Context, paths []string) (finding, error) {
	to := r.Path("--output")
	if to == "" {
		return finding{}, errors.New("there is nowhere to write the page; write -o report.html")
	}
	all, err := file.ReadAll(ctx, paths)
	if err != nil {
		return finding{}, err
	}
	var text bytes.Buffer
	if err := pages.Write(&text, all); err != nil {
		return finding{}, err
	}
	return savedOnly(to), writeWhole(to, text.Bytes())
}

// merge puts the reports of shards together.
func (r *reportRequest) merge(ctx context.Context, paths []string) (f finding, err error) {
	to := r.Path("--output")
	if to == "" {
		return f, errors.New("there is nowhere to write the merged report; write -o all.json")
	}
	all, err := file.ReadAll(ctx, paths)
	if err != nil {
		return f, err
	}
	merged, err := merge.Files(all...)
	if err != nil {
		return f, err
	}
	var text bytes.Buffer
	if err := file.Write(&text, merged.All()); err != nil {
		return f, err
	}
	return finding{differs: !merged.Whole(), text: func(int) string { return merged.Text() }},
		writeWhole(to, text.Bytes())
}
