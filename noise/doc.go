// Package noise measures how much rounding alone can change a model's outputs. It runs the model
// several times with every weight and input moved to a neighbouring number of its type; the spread
// of the outputs is the noise. A larger difference between two engines is not rounding.
//
// [compare.WithinNoise] compares runs with it. The bars follow from a chosen probability of false
// alarm. docs/noise.md describes the method, its limits and its sources.
package noise
