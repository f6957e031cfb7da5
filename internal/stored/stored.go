// Package stored carries functions from package tensor to package spill: they make and read tensors
// whose elements are outside memory. Package tensor does not export them, because its users handle
// every tensor as data. Use them through package spill.
package stored

// Package tensor sets these functions. They are untyped because this package cannot import tensor.
var New, Part, InMemory any
