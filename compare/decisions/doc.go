// Package decisions compares the decisions of models instead of their numbers: classes, boxes,
// orders, masks, tokens. Two runs with close numbers may decide differently, and two runs with
// distant numbers may decide alike.
//
// One principle applies throughout: a decision may flip only if its margin is smaller than the
// difference allowed for the numbers. The margin is how far the expected numbers must move before
// the decision flips: the distance between the two choices. Flips within the margin are excused,
// and flips beyond it are mismatches; the two are counted separately.
//
// A [Rule] says what a decision is and which flips are excused; [Judge] applies it to two runs.
// Functions that have a reference implementation (pycocotools, scikit-learn, SciPy, RapidFuzz) give
// the same results as that implementation, which their comments name.
package decisions
