package runfile

import (
	"encoding/hex"
	"testing"
)

// hashlib gave these sums of bytes(i * 7 % 251 for i in range(n)).
func TestTreeSumsOfPython(t *testing.T) {
	for n, want := range map[int]string{
		0:      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		5:      "8da1ffed0808eaa3a0ef134809c0e0395143c5ed424bcac4c45e91f66510b2e2",
		16384:  "f445e619be9de6779f205dfdf9a9f887e9483e0a2c3b6dead0c6431625da0849",
		16385:  "7e40fa9dda2684d438e1b3d5ce6ecd00317d850c5d652a56e0ca13e6188f2d7e",
		262144: "ca3ccf650181f8366a1e54bae343d66ea9d60421ee6b33990aff09b5eeeb407f",
		300000: "fe3ffc4524dcf5abf31fe76f60d7ec848ae8e027e0a325fa0037941e023d240d",
	} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i * 7 % 251)
		}
		leaves := make([]leafSum, leafCount(n))
		sumLeaves(leaves, data)
		sum := sumOver(leaves)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
}
