// Package decode drives a decoder token by token through its past and present tensors, in any
// engine:
//
//	tokens := decode.Tokens([]int64{5, 17, 3, 42}, []int64{8, 1})
//	Expect(decode.Run(ctx, ort.Engine(), model, tokens)).To(
//		MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(
//			decode.Run(ctx, ort.Engine(), model, tokens, decode.Whole())))
//
// The example holds a decoder that gets one token a step to the same decoder that gets all of them
// at once: prefill and decode must agree. A run of a decoder is an ordinary run, with one
// iteration for each set of tokens, so golden files, matchers and noise work on it. Its outputs
// are, for B sequences of N tokens:
//
//   - the logits, [B,N,vocabulary], or what [TopK] and [Statistics] keep of them;
//   - every cache as the last step left it, under the name of its present tensor: [B,heads,N,size]
//     as most exporters have it. A slot never changes once it is written, so the last cache tells
//     what every step wrote, and what a later one spoiled;
//   - "tokens", [B,N]: those that were given and those that [Greedy] chose, −1 for padding.
//
// What belongs to padding is zero in all of them: no model promises anything there.
//
// [Part] finds the first token, layer and cache at which two runs part.
package decode
