//go:build !amd64 || purego

package compare

func kernels32() kernels[uint32] { return kernels[uint32]{countGo[uint32], sieveGo[uint32]} }
