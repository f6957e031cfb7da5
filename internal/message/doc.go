// Package message carries named tensors between two processes, with a few words of JSON about them.
//
// A message is one line of JSON, an object, followed by the tensors that its member "arrays" lists,
// each an .npy file of exactly the announced length:
//
//	{"message":"run","arrays":[{"name":"x","type":"bfloat16","bytes":152}]}\n
//	\x93NUMPY…
//
// Every program that can write NumPy's format can write a message. "type" is the element type
// ([tensor.ElementType.String]), which an .npy file cannot name for bfloat16, the types of 8 bits
// and less, and int4: those are raw bytes there, one element to a byte or two. It may be left out
// where the file says it all. Strings are NumPy's fixed-width text, so that a string that ends in
// NUL is an error.
//
// The other side is taken for hostile: nothing is allocated on its word alone, and every error says
// at which byte of the channel it was, in which array, and what was expected.
package message
