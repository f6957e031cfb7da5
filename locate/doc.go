// Package locate finds where two runs of a model part: the first tensor, in graph order, that is
// out of tolerance, and the node that made it so.
//
// [Divergence] marks the tensors inside both models as outputs, runs both, and compares tensor by
// tensor. It tells a jump (the node itself computes something else) from accumulation (it only
// carries on what its inputs brought) by also running each node alone on the expected side's
// values. [Reduce] shrinks a failing model to the smallest one that still fails. [Vote] says which
// of several engines stands apart, [NonFinite] which node makes the first NaN, and [Lint] what
// keeps a model from running.
//
// Package compare decides what "out of tolerance" means.
package locate
