// Package noise measures how much rounding alone can change a model's outputs. It runs the model
// several times, each time with different rounding errors: either it adds sums in random orders, or
// it moves every weight and input to a neighbouring number of its type. The noise is how much the
// outputs vary between these runs. If two engines differ by much more, rounding does not explain
// the difference.
//
// [compare.WithinNoise] compares runs by their noise. Its limits follow from the probability of a
// false alarm, which the user chooses. docs/noise.md describes the method and its limits, and lists
// its sources.
package noise
