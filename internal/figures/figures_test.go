package figures_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/figures"
)

func TestPercentNeverRoundsAFailureAway(t *testing.T) {
	for fraction, want := range map[float64]string{
		1.0 / 453120: "0.000221 %",
		1e-9:         "1e-07 %",
		0.125:        "12.5 %",
		0.99999:      "99.999 %",
		1:            "100 %",
		0:            "0 %",
	} {
		if got := figures.Percent(fraction); got != want {
			t.Errorf("percent(%v) is %q, want %q", fraction, got, want)
		}
	}
}

func TestShortTellsWhatIsJustBelowOneFromOne(t *testing.T) {
	for v, want := range map[float64]string{
		0.00012345: "0.0001234",
		1.23456e7:  "1.235e+07",
		0.98765432: "0.9877",
		0.99989:    "0.99989",
		0.9999999:  "0.9999999",
		1:          "1",
		-0.99999:   "-1",
	} {
		if got := figures.Short(v); got != want {
			t.Errorf("Short(%v) is %q, want %q", v, got, want)
		}
	}
}

func TestATableIsAlignedByCharacters(t *testing.T) {
	got := figures.Table([][]string{{"σ", "max", ""}, {"mean", "1"}, {}})
	if want := []string{"σ     max", "mean  1", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	long := strings.Repeat("x", 300) // a fused node's name, which must not widen other rows
	got = figures.Table([][]string{{long, "1"}, {"name", "2"}})
	if want := []string{long + "  1", "name  2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFalseAlarmIsReadableForEveryProbability(t *testing.T) {
	for probability, want := range map[float64]string{0: "10000", 0.3: "3", 3e-7: "3333333",
		1e-300: "1e+300"} {
		want = "one false alarm in " + want + " comparisons"
		if got := figures.FalseAlarm(probability); got != want {
			t.Errorf("FalseAlarm(%v) is %q, want %q", probability, got, want)
		}
	}
}
