package compareflags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/values"
)

// Functions returns the values that --compare accepts.
func Functions() []string {
	var names []string
	for _, rule := range rules {
		names = append(names, rule.name)
	}
	return append(names, "distance_metrics", "quality_metrics")
}

// compareBy parses the values of --compare.
func (f *Flags) compareBy(words []string) error {
	for _, name := range words {
		if err := values.Choice(name, Functions()...); err != nil {
			return err
		}
		members, isGroup := groups[name]
		if !isGroup {
			members = []string{name}
		}
		for _, member := range members {
			if !slices.Contains(f.functions, member) {
				f.functions = append(f.functions, member)
			}
		}
	}
	f.asked = true
	return nil
}

// statistic parses [OUTPUT:]STAT.
func statistic(text string) (values.Named[string], error) {
	split := values.Split(text)
	known := []string{"elemwise", "max", "mean", "median", "quantile", "elementwise"}
	if !slices.Contains(known, split.Value) {
		return split, fmt.Errorf("%q is not a statistic; write %s", split.Value,
			strings.Join(known[:5], ", "))
	}
	return split, nil
}

// topK parses [OUTPUT:]top-K[,axis=A].
func topK(text string) (values.Named[compare.TopK], error) {
	split := values.Split(text)
	named := values.Named[compare.TopK]{Name: split.Name}
	wrong := fmt.Errorf("%q is not a postprocessing step; write top-5, or logits:top-5,axis=1", text)
	k, axis, hasAxis := strings.Cut(split.Value, ",axis=")
	k, isTop := strings.CutPrefix(k, "top-")
	if !isTop {
		return named, wrong
	}
	n, err := values.Count(k, 0)
	if err != nil {
		return named, wrong
	}
	named.Value = compare.TopK{K: n, Axis: -1}
	if hasAxis {
		at, err := values.Integer(axis)
		if err != nil || at.Name != "" {
			return named, wrong
		}
		named.Value.Axis = at.Value
	}
	return named, nil
}
