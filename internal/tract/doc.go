// Package tract is the room where tract's shared library is touched: the one of its Python wheel,
// whose plain C API is opened at run time. Symbols are looked up by name, and nothing of tract is
// needed to build.
//
// A model goes through three steps: it is parsed; its inputs get their types and shapes, and tract
// works out everybody else's; and it is optimised into a [Runnable]. tract has no way to run a
// model that is not optimised, none to interrupt one, and one thread.
//
// tract aborts the process where its Rust code panics. It does so over none of ONNX's node cases,
// but a model that is damaged in the right place can bring it about.
package tract
