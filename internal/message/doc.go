// Package message sends named tensors, together with some JSON, from one process to another.
//
// A message is one line of JSON, an object, followed by the tensors that its member "arrays" lists,
// each an .npy file of exactly the announced length:
//
//	{"message":"run","arrays":[{"name":"x","type":"bfloat16","bytes":152}]}\n
//	\x93NUMPY…
//
// Every program that can write NumPy's format can write a message. "type" is the element type
// ([tensor.ElementType.String]); it may be omitted if the .npy file determines it. The .npy format
// has no bfloat16, int4 or types of 8 bits or fewer apart from NumPy's own; they are stored as raw
// bytes, one or two bytes per element. Strings are NumPy's fixed-width text, so a string that ends
// in NUL is an error.
//
// The other process is untrusted: memory for an announced length is not allocated before data
// arrives, and every error contains the byte offset in the channel, the array, and what was
// expected.
package message
