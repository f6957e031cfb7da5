// Package noise measures how much rounding alone can change a model's outputs. It runs the model
// several times, each time with other rounding errors: the sums are added in random orders, or
// every weight and input is moved to a neighbouring number of its type. The spread of the outputs
// is the noise. Rounding does not explain a much larger difference between two engines.
//
// [compare.WithinNoise] compares runs by their noise. Its limits follow from the probability of a
// false alarm, which the user chooses. docs/noise.md describes the method, its limits and its
// sources.
package noise
