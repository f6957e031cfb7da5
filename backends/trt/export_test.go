package trt

// Driver names the CUDA driver's library, so that specs can give a mock.
func Driver(path string) Option { return func(s *settings) { s.driver = path } }
