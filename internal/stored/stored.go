// Package stored lets package spill call functions of package tensor that make and read tensors
// whose elements are on disk. Package tensor does not export these functions, because its users
// need not know where the elements of a tensor are stored. Call them through package spill.
package stored

// Package tensor sets these functions. They are untyped because this package cannot import tensor.
var New, Part, InMemory any
