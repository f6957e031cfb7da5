// Package message sends named tensors, together with some JSON, from one process to another.
//
// A message is one line of JSON, an object, followed by the tensors that its member "arrays" lists,
// each an .npy file of exactly the announced length:
//
//	{"message":"run","arrays":[{"name":"x","type":"bfloat16","bytes":152}]}\n
//	\x93NUMPY…
//
// Every program that can write NumPy's format can write a message. "type" is the element type
// ([tensor.ElementType.String]); it may be omitted if the .npy file determines it. NumPy has no
// bfloat16, no 8-bit floats and no types narrower than 8 bits; their elements are stored as raw
// bytes, one or two bytes each. Strings are NumPy's fixed-width text, so a string that ends in NUL
// is an error.
//
// The other process is untrusted: memory for an announced length is not allocated before data
// arrives, and every error gives the byte offset in the channel, the name of the array, and what
// was expected.
package message
