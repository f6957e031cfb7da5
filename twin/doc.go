// Package twin makes the integer twin of a model: the same nodes with sparse integer weights and
// inputs, thinned until no sum can leave the integers that float32 holds. Every engine that adds
// products in float32 then gives the same bits, whatever order it adds in, so that no tolerance is
// needed, and an engine that computes in less than it was asked to is caught.
//
// Every value of the twin is a multiple of [Unit], which has 13 significant bits and is beyond the
// range of float16. Rounding in bfloat16, TF32 or float16 gives no multiple, so a run shows by
// itself what it was computed in. Fast convolutions (Winograd) add small errors where the sum is 0;
// they are recognised by that, and said, not blamed.
//
// What the twin leaves out (an exponential, a division, a product of two activations) is cut out of
// it, and what lies behind is fed with integers of its own.
package twin

// Unit is what every value of a twin is a multiple of: 5453·2⁴. The 13 bits of 5453 do not fit
// into the 11 of TF32 and float16 or the 8 of bfloat16, and the least value is above 65504, the
// greatest of float16.
const Unit = 5453 * 16

// most is how many units a sum of magnitudes may reach: 2²⁴/5453, less a tenth for the engine that
// measures them, which may itself be of low precision.
const most = (1 << 24) / 5453 * 0.9
