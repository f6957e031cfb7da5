// Package trtabi calls TensorRT 10.x and 11.x through the binary interface of its shared
// libraries, opened at run time. Neither NVIDIA's headers nor a C++ compiler is needed to build.
//
// methods.h says where each method lies and call.h makes a C function of each row; open.c opens
// the libraries; callback.c holds the objects that TensorRT calls. The Go files wrap the functions
// one to one, by interface. What to call when is decided in backends/trt.
//
// Callers must have asked CUDA for a device first: without a driver TensorRT aborts the process or
// returns invalid pointers.
package trtabi

//go:generate go run ./headers -out testdata $TENSORRT_HEADERS
