// Package cuda wraps the part of the CUDA driver API that is needed to run an engine: devices,
// memory, copies and streams. It opens the driver's library at run time, so that building needs
// neither CUDA nor a GPU.
//
// Memory and streams belong to a device's primary context, which TensorRT uses as well.
package cuda
