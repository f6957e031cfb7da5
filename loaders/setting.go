package loaders

import (
	"math/big"
	"slices"
)

// settings are inputs of nodes that say what to compute, such as the factor of a size. Moving them
// would change shapes or take roots of negative numbers, which is not rounding.
var settings = map[string][]int{
	"Resize": {1, 2}, "Upsample": {1}, "Range": {0, 1, 2}, "Pow": {1}, "Mod": {0, 1},
	"NonMaxSuppression": {3, 4}, "Dropout": {1}, "Equal": {0, 1}, "OneHot": {1, 2},
}

// IsSetting reports whether a constant says what to compute, rather than with which numbers: by its
// use, or because it is a single number of no more than 8 significant bits, such as an exponent of
// 2 or a factor of 0.5. Whoever moves or rounds the weights of a model leaves it alone.
func (c Constant) IsSetting() bool {
	for _, u := range c.Uses {
		if slices.Contains(settings[u.Op], u.Input) {
			return true
		}
	}
	return c.Values.Len() == 1 && isShort(c.Values.Float64At(0))
}

func isShort(v float64) bool {
	if v-v != 0 { // not finite
		return true
	}
	return new(big.Float).SetFloat64(v).MinPrec() <= 8
}
