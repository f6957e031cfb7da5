// Package tract contains all calls to tract's shared library, which is part of its Python wheel and
// has a plain C API. It is opened at run time and symbols are looked up by name, so nothing of
// tract is needed to build.
//
// A model goes through three steps: it is parsed; its inputs get types and shapes, from which tract
// infers all others; and it is optimised into a [Runnable]. tract cannot run a model without
// optimising it, cannot interrupt a run, and uses one thread.
//
// tract aborts the process when its Rust code panics. None of ONNX's node cases causes that, but a
// suitably damaged model can.
package tract
