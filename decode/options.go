package decode

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/option"
)

// Option says how a decoder is driven. An option prints itself as the Go call that makes it.
type Option = option.Option[settings]

// settings is the sum of the options.
type settings struct {
	Steps      []int  `json:"steps"`            // tokens of each step, the last one repeated; 0 is all
	Greedy     int    `json:"greedy,omitempty"` // tokens to choose after the given ones
	TopK       int    `json:"top_k,omitempty"`
	Statistics bool   `json:"statistics,omitempty"`
	Rollback   []int  `json:"rollback,omitempty"` // after how many tokens, and how many
	From       int    `json:"from,omitempty"`     // the first position
	Copying    bool   `json:"copying,omitempty"`
	Names      *Names `json:"names,omitempty"`
}

var kind = option.Kind[settings]{Package: "decode", Name: "token by token",
	Defaults: func() settings { return settings{Steps: []int{1}} }}

// Steps is how many of the given tokens each step takes; the last size repeats until none is left.
// Without this option a step takes one token.
//
//	decode.Steps(128, 1) // a prompt of 128 at once, then token by token
//	decode.Steps(64)     // in chunks of 64
func Steps(sizes ...int) Option {
	args := make([]any, len(sizes))
	for i, n := range sizes {
		args[i] = n
	}
	return option.New(option.Call("decode.Steps", args...), func(s *settings) error {
		if len(sizes) == 0 {
			return errors.New("no size of a step given")
		}
		for _, n := range sizes {
			if n < 1 {
				return fmt.Errorf("a step of %d tokens: a step takes 1 or more", n)
			}
		}
		s.Steps = sizes
		return nil
	})
}

// Whole gives all the given tokens in one step.
func Whole() Option {
	return option.New(option.Call("decode.Whole"), func(s *settings) error {
		s.Steps = []int{0}
		return nil
	})
}

// Greedy goes on for n tokens after the given ones. Each is the one with the greatest logit, the
// lowest of several, and is fed in the next step; the last is not fed.
func Greedy(n int) Option {
	return option.New(option.Call("decode.Greedy", n), func(s *settings) error {
		if n < 1 {
			return fmt.Errorf("%d tokens to choose: expected 1 or more", n)
		}
		s.Greedy = n
		return nil
	})
}

// TopK keeps the k greatest logits of each token in place of all of them: the outputs
// "logits.top_values" and "logits.top_tokens", [batch,tokens,k], in descending order, the lowest
// token first among equal ones.
func TopK(k int) Option {
	return option.New(option.Call("decode.TopK", k), func(s *settings) error {
		if k < 1 {
			return fmt.Errorf("the greatest %d logits: expected 1 or more", k)
		}
		s.TopK = k
		return nil
	})
}

// Statistics keeps statistics in place of all logits, each [batch,tokens]: "logits.max",
// "logits.mean", "logits.deviation" (over the vocabulary), "logits.entropy" in nats, and
// "logits.logprob", the natural logarithm of the probability that was given to the token that
// follows; 0 for the last.
func Statistics() Option {
	return option.New(option.Call("decode.Statistics"), func(s *settings) error {
		s.Statistics = true
		return nil
	})
}

// Mapped names the tensors of a model whose names are not found by themselves. Fields that are left
// out are still looked for.
//
//	decode.Mapped(decode.Names{Tokens: "ids", Caches: []decode.Cache{
//		{Past: "k_in_%d", Present: "k_out_%d", Part: "key", Axis: 2},
//		{Past: "v_in_%d", Present: "v_out_%d", Part: "value", Axis: 2},
//	}})
func Mapped(n Names) Option {
	return option.New(option.Call("decode.Mapped", n), func(s *settings) error {
		for _, c := range n.Caches {
			if c.Past == "" || c.Present == "" {
				return errors.New("a cache needs the names of its past and of its present")
			}
		}
		s.Names = &n
		return nil
	})
}

// Rollback feeds n other tokens after the first ones, at of them, and takes them back, as
// speculative decoding does with a draft that is refused: a cache that grows is cut to its first
// slots, and one of a size of its own keeps what stands in the others, which the mask hides. The
// other tokens are those of the text, moved along. What follows must not know of them.
func Rollback(at, n int) Option {
	return option.New(option.Call("decode.Rollback", at, n), func(s *settings) error {
		if at < 1 || n < 1 {
			return fmt.Errorf("a rollback of %d tokens after %d: expected 1 or more of both", n, at)
		}
		s.Rollback = []int{at, n}
		return nil
	})
}

// From lets positions count from there in place of 0. A model without position_ids is an error.
func From(position int) Option {
	return option.New(option.Call("decode.From", position), func(s *settings) error {
		if position < 0 {
			return fmt.Errorf("positions from %d on: expected 0 or more", position)
		}
		s.From = position
		return nil
	})
}

// Copying feeds the caches of every step as tensors, and reads them after it, where the engine
// could keep them. It shows what a program sees that does so, and costs the square of the tokens.
func Copying() Option {
	return option.New(option.Call("decode.Copying"), func(s *settings) error {
		s.Copying = true
		return nil
	})
}

// names are those of the model.
func (s *settings) names() Names {
	if s.Names == nil {
		return Names{}
	}
	return *s.Names
}

// step is how many tokens the next step takes of so many that are left.
func (s *settings) step(number, left int) int {
	n := s.Steps[min(number, len(s.Steps)-1)]
	if n == 0 || n > left {
		return left
	}
	return n
}
