//go:build linux || darwin

package main

import (
	"fmt"
	"math"
	"time"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/runs"
)

// child compares two files of n elements by each statistic, and holds the numbers to what was
// planted.
func child(n int, actual, expected string) error {
	memory.Sparing() // as the command does
	start := time.Now()
	saved, err := runs.ReadAll([]string{actual, expected})
	if err != nil {
		return err
	}
	if len(saved) != 2 {
		return fmt.Errorf("%d runs", len(saved))
	}
	one := saved[0].Run.Outputs()[0].At(0)
	names, err := saved[1].NamedLike(saved[0].Run)
	if err != nil {
		return err
	}
	other := names.Run.Outputs()[0].At(0)
	fmt.Printf(" %.1f s |", time.Since(start).Seconds())
	greatest := float64(at(n/3, n, true) - at(n/3, n, false))
	for _, c := range []struct {
		stat compare.Stat
		want float64
	}{
		{compare.Elementwise, math.NaN()},
		{compare.Max, greatest},
		{compare.Mean, (float64(n)/8 + 3) / float64(n)}, // sums of sixteenths are exact
		{compare.Median, 2.0 / 16},
		{compare.Quantile(0.99), 4.0 / 16},
	} {
		start := time.Now()
		out, err := compare.Tensors(one.Tensor, other.Tensor, compare.Options{
			Checks: []compare.Check{compare.Within(0.3, 0, c.stat)}})
		if err != nil {
			return err
		}
		r := out.Results[0]
		if c.stat == compare.Elementwise {
			if r.Mismatches != 1 || out.Verdict != compare.Fail {
				return fmt.Errorf("%d mismatches, %s: 1 was planted", r.Mismatches, out.Verdict)
			}
		} else if r.Abs != c.want {
			return fmt.Errorf("%v is %v, %v was planted", c.stat, r.Abs, c.want)
		}
		fmt.Printf(" %.2f s |", time.Since(start).Seconds())
	}
	return nil
}
