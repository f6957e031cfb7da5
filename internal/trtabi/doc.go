// Package trtabi calls TensorRT 10.x and 11.x through the binary interface of its shared libraries,
// which it opens at run time. Building needs neither NVIDIA's headers nor a C++ compiler.
//
// methods.h lists each method's position in the virtual table of its class, and call.h generates a
// C function for each row; open.c opens the libraries; callback.c contains the objects that
// TensorRT calls. The Go files wrap the functions one to one, by interface. Package backends/trt
// decides what to call when.
//
// Callers must open a CUDA device first: without a driver, TensorRT aborts the process or returns
// invalid pointers.
package trtabi

//go:generate go run ./headers -out testdata $TENSORRT_HEADERS
