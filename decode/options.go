package decode

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/option"
)

// Option configures how a decoder runs. An option prints as the Go call that makes it.
type Option = option.Option[settings]

// settings is the result of applying options.
type settings struct {
	Steps    []int   `json:"steps"`            // tokens per step; the last one repeats; 0 means all
	Greedy   int     `json:"greedy,omitempty"` // tokens to generate
	TopK     int     `json:"top_k,omitempty"`
	Rollback []int   `json:"rollback,omitempty"` // after how many tokens, and how many draft tokens
	From     int     `json:"from,omitempty"`     // the position of the first token
	Copying  bool    `json:"copying,omitempty"`
	Names    Names   `json:"names,omitzero"`
	States   []state `json:"states,omitempty"`
}

var kind = option.Kind[settings]{Package: "decode", Name: "token by token",
	Defaults: defaults, Check: onlyStates}

func defaults() settings { return settings{Steps: []int{1}} }

// Steps sets how many of the given tokens each step feeds. The last size repeats until no token is
// left. The default is one token per step.
//
//	decode.Steps(128, 1) // a prompt of 128 at once, then token by token
//	decode.Steps(64)     // in chunks of 64
func Steps(sizes ...int) Option {
	return option.New(option.Call("decode.Steps", option.Args(sizes)...), func(s *settings) error {
		if len(sizes) == 0 {
			return errors.New("no step size given")
		}
		for _, n := range sizes {
			if n < 1 {
				return fmt.Errorf("a step of %d tokens: expected 1 or more", n)
			}
		}
		s.Steps = sizes
		return nil
	})
}

// Whole feeds all given tokens in one step.
func Whole() Option {
	return option.Field(option.Call("decode.Whole"), []int{0},
		func(s *settings) *[]int { return &s.Steps })
}

// Greedy generates n tokens after the given ones. Each is the token with the largest logit (on
// ties, the one with the lowest id). Each generated token except the last is fed to the model in
// the following step.
func Greedy(n int) Option {
	return option.Field(option.Call("decode.Greedy", n), n,
		func(s *settings) *int { return &s.Greedy },
		option.Refuse(n < 1, "%d tokens to generate: expected 1 or more", n))
}

// TopK keeps only the k largest logits of each token. They become the output "logits.top_values",
// and the ids of their vocabulary entries the output "logits.top_tokens", both of shape
// [batch,tokens,k], in descending order of the logits. On ties, the lowest id is first.
func TopK(k int) Option {
	return option.Field(option.Call("decode.TopK", k), k, func(s *settings) *int { return &s.TopK },
		option.Refuse(k < 1, "top %d logits: the number must be at least 1", k))
}

// Mapped names the tensors of a model that uses unusual names. A tensor for which n has no name is
// still found by its usual name.
//
//	decode.Mapped(decode.Names{Tokens: "ids", Caches: []decode.Cache{
//		{Past: "k_in_%d", Present: "k_out_%d", Part: "key", Axis: 2},
//		{Past: "v_in_%d", Present: "v_out_%d", Part: "value", Axis: 2},
//	}})
func Mapped(n Names) Option {
	return option.New(option.Call("decode.Mapped", n), func(s *settings) error {
		for _, c := range n.Caches {
			if c.Past == "" || c.Present == "" {
				return errors.New("a cache needs both names, Past and Present")
			}
		}
		s.Names = n
		return nil
	})
}

// Rollback simulates the rejected draft of speculative decoding: after pos tokens, it feeds n draft
// tokens, and then removes them from the caches. A growing cache is truncated; a cache of fixed
// length keeps the stale slots, and the mask hides them. The draft tokens are copies of other
// tokens in the same sequence. Later outputs must not depend on the draft tokens.
func Rollback(pos, n int) Option {
	return option.Field(option.Call("decode.Rollback", pos, n), []int{pos, n},
		func(s *settings) *[]int { return &s.Rollback },
		option.Refuse(pos < 1 || n < 1,
			"the numbers of draft tokens (%d) and of tokens before them (%d) must be 1 or more", n, pos))
}

// From sets the position of the first token, which is 0 by default. The model must have the input
// position_ids.
func From(position int) Option {
	return option.Field(option.Call("decode.From", position), position,
		func(s *settings) *int { return &s.From },
		option.Refuse(position < 0, "cannot start at position %d: expected 0 or more", position))
}

// Copying copies every cache out of the engine and back into it at each step, even if the engine
// can keep the caches. Programs that do not use IO binding copy the caches in this way. The time
// for the copies grows with the square of the number of tokens.
func Copying() Option {
	return option.Field(option.Call("decode.Copying"), true,
		func(s *settings) *bool { return &s.Copying })
}

// step returns the size of the next step. left is the number of tokens that remain.
func (s *settings) step(number, left int) int {
	n := s.Steps[min(number, len(s.Steps)-1)]
	if n == 0 || n > left {
		return left
	}
	return n
}
