package backendtest

import (
	"context"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// valueSpecs check that an engine can be compared with ==, printed, and opened any number of times.
var valueSpecs = []Spec{
	{Name: "can be compared with == and printed as one line", check: isValue},
	{Name: "can be opened any number of times, also concurrently", check: isReopened},
}

func isValue(_ context.Context, t backends.T, s subject) {
	same := s.engine
	if !equal(t, s.engine, same) {
		t.Fatalf("%v does not equal itself", s.engine)
	}
	for what, text := range map[string]string{"Text": s.engine.Text(),
		"String": s.engine.String(), "GoString": s.engine.GoString()} {
		if text == "" || strings.Contains(text, "\n") {
			t.Fatalf("%s is %q, expected one line", what, text)
		}
	}
	if first, second := s.engine.Text(), same.Text(); first != second {
		t.Fatalf("Text changes: %q, then %q", first, second)
	}
}

// equal reports whether a == b. It fails t if the engines cannot be compared, instead of panicking.
func equal(t backends.T, a, b backends.Engine) (same bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("the engine cannot be compared with ==: %v", p)
		}
	}()
	return a == b
}

func isReopened(ctx context.Context, t backends.T, s subject) {
	model := arithmetic()
	first := open(ctx, t, s, model, subtraction(1, 1))
	second := open(ctx, t, s, model, subtraction(2, 2))
	expectOutputs(t, run(ctx, t, first, subtraction(1, 3)), differences(1, 3)...)
	closed(t, first)
	expectOutputs(t, run(ctx, t, second, subtraction(2, 4)), differences(2, 4)...)
	closed(t, second)
	result, err := backends.RunIn(ctx, s.engine, model, subtraction(1, 5))
	must(t, "running once more", err)
	expectOutputs(t, result.Outputs()[0], differences(1, 5)...)
}
