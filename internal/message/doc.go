// Package message sends named tensors between two processes, with some JSON about them.
//
// A message is one line of JSON, an object, followed by the tensors that its member "arrays" lists,
// each an .npy file of exactly the announced length:
//
//	{"message":"run","arrays":[{"name":"x","type":"bfloat16","bytes":152}]}\n
//	\x93NUMPY…
//
// Every program that can write NumPy's format can write a message. "type" is the element type
// ([tensor.ElementType.String]). The .npy format cannot express bfloat16, types of 8 bits or less,
// and int4; they are stored as raw bytes, one or two bytes per element. "type" may be omitted if
// the file determines it. Strings are NumPy's fixed-width text, so a string that ends in NUL is an
// error.
//
// The other side is untrusted: no announced length is allocated before data arrives, and every
// error contains the byte offset in the channel, the array, and what was expected.
package message
