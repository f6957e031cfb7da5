package compare

import "testing"

func TestPercentNeverRoundsAFailureAway(t *testing.T) {
	for fraction, want := range map[float64]string{
		1.0 / 453120: "0.000221 %",
		1e-9:         "1e-07 %",
		0.125:        "12.5 %",
		0.99999:      "more than 99.9 %",
		1:            "100 %",
		0:            "0 %",
	} {
		if got := percent(fraction); got != want {
			t.Errorf("percent(%v) is %q, want %q", fraction, got, want)
		}
	}
}
