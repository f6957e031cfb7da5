package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/modelparity/modelparity/compare"
)

// growth prints what each rule costs an element, from 10³ elements to -n, and the most memory that
// the process held by then beside the tensors.
func growth() error {
	checks := []compare.Stat{compare.Elementwise, compare.Max, compare.Mean, compare.Median,
		compare.Quantile(0.99)}
	fmt.Print("| float32 elements |")
	for _, stat := range checks {
		fmt.Printf(" %s |", stat)
	}
	fmt.Printf(" full report | memory beside the tensors |\n|%s\n",
		strings.Repeat(" --- |", len(checks)+3))
	for n := 1000; n <= *elements; n *= 10 {
		d := makeFloat32(n)
		fmt.Printf("| %d |", n)
		for i := range len(checks) + 1 {
			c := benchCase{data: d, stat: checks[i%len(checks)], full: i == len(checks)}
			seconds, err := measure(c)
			if err != nil {
				return err
			}
			fmt.Printf(" %.2f ns |", seconds*1e9/float64(n))
		}
		peak, err := peakMemory()
		if err != nil {
			return err
		}
		fmt.Printf(" %d MB |\n", (peak-8*int64(n))>>20)
		debug.FreeOSMemory()
	}
	return nil
}
