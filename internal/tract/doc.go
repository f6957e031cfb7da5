// Package tract is the room where tract's shared library is touched: the one of its Python wheel,
// whose plain C API is opened at run time. Symbols are looked up by name, and nothing of tract is
// needed to build.
//
// A model goes through three steps: it is parsed; its inputs get their types and shapes, from which
// tract infers all others; and it is optimised into a [Runnable]. tract has no way to run a model
// that is not optimised, none to interrupt one, and one thread.
//
// tract aborts the process when its Rust code panics. None of ONNX's node cases causes that, but a
// suitably damaged model can.
package tract
