// Package decisions compares what models decide, not the numbers that they decide by: which class,
// which boxes, which order, which mask, which token. Two runs whose numbers are close may decide
// otherwise, and two whose numbers are far apart may decide alike.
//
// One principle holds throughout: a decision may flip only where its margin is below what the
// numbers may differ by. The margin of a decision is how far the expected numbers must move before
// it flips: the distance between what was chosen and what was chosen in its place. Flips within the
// margin are excused, flips beyond it are mismatches; both are counted apart.
//
// A [Rule] says what is held to what; [Judge] holds two runs to it. Definitions that have a
// reference implementation (pycocotools, scikit-learn, SciPy, RapidFuzz) agree with it; each names
// its source.
package decisions
