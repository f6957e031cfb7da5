package backends

// MemoryTeller is a backend that knows how much of a device's memory its engine takes, as
// TensorRT's do.
type MemoryTeller interface {
	Backend

	// DeviceMemory is how many bytes of the device's memory one inference takes beside the weights.
	DeviceMemory() (int64, error)
}
