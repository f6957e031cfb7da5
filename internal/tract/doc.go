// Package tract contains all calls to tract's shared library, which is part of tract's Python wheel
// and has a plain C API. The library is opened at run time and its symbols are looked up by name,
// so a build needs no files of tract.
//
// A model goes through three steps: it is parsed; its inputs get types and shapes, from which tract
// infers all other types and shapes; and it is optimised into a [Runnable]. tract cannot run a
// model without optimising it, cannot interrupt a run, and uses one thread.
//
// A panic in tract's Rust code aborts the process. None of ONNX's node test cases causes one, but a
// suitably damaged model can.
package tract
