package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestVerbosityReadsPolygraphysSeverities(t *testing.T) {
	for line, want := range map[string]string{
		"":                              "0 0 <nil>",
		"verbose":                       "1 0 <nil>",
		"ULTRA_VERBOSE":                 "4 0 <nil>",
		"warning":                       "-1 0 <nil>",
		"CRITICAL":                      "-2 0 <nil>",
		"info backend/trt:VERBOSE":      "0 2 <nil>",
		"backend:extra_verbose":         "0 3 <nil>",
		"backend/onnx:INFO":             "0 0 <nil>",
		"loud":                          `0 0 unknown severity "loud"`,
		"comparator:INFO":               "0 0 comparator is a path in Polygraphy",
		"backend/trt/loader.py:nothing": `0 0 unknown severity "nothing"`,
	} {
		volume, engines, err := Verbosity(strings.Fields(line)...)
		if got := fmt.Sprint(volume, engines, " ", err); !strings.HasPrefix(
			strings.Replace(got, "  ", " ", 1), want) {
			t.Errorf("%q is %q, not %q", line, got, want)
		}
	}
}

func TestVolumesEndWhereEverythingIsShown(t *testing.T) {
	volume := 0
	for range Loudest {
		if err := Louder(&volume, +1); err != nil {
			t.Fatal(err)
		}
	}
	if err := Louder(&volume, +1); err == nil ||
		!strings.Contains(err.Error(), "-v was given more than 4 times") {
		t.Error(err)
	}
	if err := Louder(&volume, -1); err != nil || volume != Loudest {
		t.Error(err, volume)
	}
}

func TestFormatsOfLogs(t *testing.T) {
	if stamps, plain, err := ParseFormat("timestamp", "no-colors"); err != nil || !stamps || !plain {
		t.Error(stamps, plain, err)
	}
	for _, word := range []string{"line-info", "colors"} {
		if _, _, err := ParseFormat(word); err == nil {
			t.Errorf("%s is taken", word)
		}
	}
}

func TestEachLineIsStamped(t *testing.T) {
	var out bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := Stamped(&out, func() time.Time { return at })
	for _, text := range []string{"one\ntw", "o\n", "", "\nthree"} {
		if n, err := w.Write([]byte(text)); err != nil || n != len(text) {
			t.Fatal(n, err)
		}
	}
	if want := "(03:04:05) one\n(03:04:05) two\n(03:04:05) \n(03:04:05) three"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
	if _, err := Stamped(broken{}, time.Now).Write([]byte("x")); err == nil {
		t.Error("an error is lost")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }
