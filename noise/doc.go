// Package noise measures what rounding alone can do to a model on given inputs: the model runs a
// few times with every weight and every input moved to a neighbouring number of its type, and the
// spread of the outputs is the noise. A difference of two engines that is larger is not rounding.
//
// [compare.WithinNoise] judges by it, with bars that follow from a probability of false alarm; see
// there for the statistics, and docs/noise.md for the method, its limits and its sources.
package noise
