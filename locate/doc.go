// Package locate finds where two runs of a model diverge: the first tensor, in graph order,
// that is out of tolerance, and the node responsible.
//
// [Divergence] marks the tensors inside both models as outputs, runs both models, and compares them
// tensor by tensor. It also runs each node alone on the expected side's values, to distinguish a
// wrong node from accumulation, in which a node passes on an earlier error. [Reduce] shrinks a
// failing model to the smallest part that still fails. [Vote] finds the engine that differs from
// several others, and [NonFinite] the node that produces the first NaN.
//
// A tensor is out of tolerance if it fails one of the checks in the options; see package compare.
package locate
