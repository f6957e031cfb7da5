// Package decode runs a decoder token by token, or a stream with hidden states frame by frame
// ([Stream]), in any engine. It feeds each step of a decoder the cache tensors that the previous
// step returned:
//
//	tokens := decode.Tokens([]int64{5, 17, 3, 42}, []int64{8, 1})
//	Expect(decode.Run(ctx, ort.Engine(), model, tokens)).To(
//		MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(
//			decode.Run(ctx, ort.Engine(), model, tokens, decode.Whole())))
//
// The example compares a decoder that receives one token per step with the same decoder that
// receives all tokens at once: decoding must agree with prefill. A decoder's run is an ordinary run
// with one iteration per set of tokens, so golden files, matchers and noise work on it. For B
// sequences of N tokens its outputs are:
//
//   - the logits, [B,N,vocabulary], or their [TopK] or [Statistics];
//   - each cache after the last step, named after its present tensor: [B,heads,N,size] from most
//     exporters. Steps never rewrite a slot, so the last cache shows what every step wrote, and
//     whether a later step corrupted it;
//   - "tokens", [B,N]: the given tokens and those chosen by [Greedy], −1 for padding.
//
// In all of these outputs, padding is zero, because models leave its values undefined.
//
// [Part] finds the first token, layer and cache at which two runs differ.
package decode
