package matchers

import (
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare/decisions"
)

// adjusted is the matcher with a rule of one kind changed. Another kind is misuse.
func adjusted[R decisions.Rule](m *DecisionMatcher, method, owner string, change func(*R),
) *DecisionMatcher {
	return m.changed(func(c *OutputsMatcher) {
		rule, ok := c.decision.rule.(R)
		if !ok {
			c.wrong(fmt.Errorf("%s belongs to %s", method, owner))
			return
		}
		change(&rule)
		c.decision.rule = rule
	})
}

// OfOutput names the output that decides, where there are several. MatchDetections has a layout
// instead.
func (m *DecisionMatcher) OfOutput(name string) *DecisionMatcher {
	return m.changed(func(c *OutputsMatcher) {
		switch rule := c.decision.rule.(type) {
		case decisions.TopK:
			rule.Output = name
			c.decision.rule = rule
		case decisions.Ranking:
			rule.Output = name
			c.decision.rule = rule
		case decisions.Embeddings:
			rule.Output = name
			c.decision.rule = rule
		case decisions.Mask:
			rule.Output = name
			c.decision.rule = rule
		case decisions.Logits:
			rule.Output = name
			c.decision.rule = rule
		case decisions.Tokens:
			rule.Output = name
			c.decision.rule = rule
		case decisions.Text:
			rule.Output = name
			c.decision.rule = rule
		case decisions.AccuracyLoss:
			rule.Output = name
			c.decision.rule = rule
		default:
			c.wrong(fmt.Errorf("OfOutput belongs to matchers of one output, and %s names its outputs in "+
				"its layout", c.constructor))
		}
	})
}

// Margin excuses decisions whose margin is at most this: the distance of two scores on the expected
// side, in the scores' own unit.
func (m *DecisionMatcher) Margin(margin float64) *DecisionMatcher {
	return m.changed(func(c *OutputsMatcher) {
		c.decision.margin = true
		switch rule := c.decision.rule.(type) {
		case decisions.TopK:
			rule.Margin = margin
			c.decision.rule = rule
		case decisions.Ranking:
			rule.Margin = margin
			c.decision.rule = rule
		case decisions.Embeddings:
			rule.Margin = margin
			c.decision.rule = rule
		case decisions.Mask:
			rule.Margin = margin
			c.decision.rule = rule
		case decisions.Logits:
			rule.Margin = margin
			c.decision.rule = rule
		case decisions.Tokens:
			rule.Margin = margin
			c.decision.rule = rule
		case decisions.Detections:
			rule.Margin = margin
			c.decision.rule = rule
		default:
			c.wrong(fmt.Errorf("%s has no scores and so no margin", c.constructor))
		}
	})
}

// AllowFlips lets that share of the decisions flip beyond the margin, less than 1. It belongs to
// MatchTopK, MatchLogits, MatchTokens and MatchDetections.
func (m *DecisionMatcher) AllowFlips(share float64) *DecisionMatcher {
	return m.changed(func(c *OutputsMatcher) {
		switch rule := c.decision.rule.(type) {
		case decisions.TopK:
			rule.Flips = share
			c.decision.rule = rule
		case decisions.Logits:
			rule.Flips = share
			c.decision.rule = rule
		case decisions.Tokens:
			rule.Flips = share
			c.decision.rule = rule
		case decisions.Detections:
			rule.Flips = share
			c.decision.rule = rule
		default:
			c.wrong(errors.New("AllowFlips belongs to MatchTopK, MatchLogits, MatchTokens and " +
				"MatchDetections"))
		}
	})
}

// TopK counts a row as right whose label is among the k greatest scores. It belongs to
// LoseNoMoreAccuracyThan.
func (m *DecisionMatcher) TopK(k int) *DecisionMatcher {
	return adjusted(m, "TopK", "LoseNoMoreAccuracyThan", func(r *decisions.AccuracyLoss) { r.K = k })
}

// Ordered holds the order of the leaders too. It belongs to MatchTopK.
func (m *DecisionMatcher) Ordered() *DecisionMatcher {
	return adjusted(m, "Ordered", "MatchTopK", func(r *decisions.TopK) { r.Ordered = true })
}

// Tau holds the mean of Kendall's τ over the rows to a least value. It belongs to MatchRanking.
func (m *DecisionMatcher) Tau(least float64) *DecisionMatcher {
	return m.limited("Tau", least, func(r *decisions.Ranking) { r.Tau = least })
}

// Overlap holds the share of the k leaders that stay, on average, to a least value. It belongs to
// MatchRanking.
func (m *DecisionMatcher) Overlap(k int, least float64) *DecisionMatcher {
	return m.limited("Overlap", least, func(r *decisions.Ranking) { r.Overlap = least }).at(k)
}

// NDCG holds the mean normalised discounted cumulative gain at k, the expected scores being the
// gains, to a least value. It belongs to MatchRanking.
func (m *DecisionMatcher) NDCG(k int, least float64) *DecisionMatcher {
	return m.limited("NDCG", least, func(r *decisions.Ranking) { r.NDCG = least }).at(k)
}

// limited refuses a least value that stands for none.
func (m *DecisionMatcher) limited(method string, least float64, change func(*decisions.Ranking),
) *DecisionMatcher {
	changed := adjusted(m, method, "MatchRanking", change)
	if least == 0 {
		changed.of.wrong(fmt.Errorf("%s: at least 0 could not fail: give a greater number", method))
	}
	return changed
}

// at sets the k of a ranking; there is one.
func (m *DecisionMatcher) at(k int) *DecisionMatcher {
	return m.changed(func(c *OutputsMatcher) {
		rule, ok := c.decision.rule.(decisions.Ranking)
		switch {
		case !ok: // told already
		case k < 1:
			c.wrong(fmt.Errorf("overlap and NDCG at %d: k must be at least 1", k))
		case rule.K != 0 && rule.K != k:
			c.wrong(fmt.Errorf("overlap and NDCG are at %d and at %d: keep one k", rule.K, k))
		default:
			rule.K = k
			c.decision.rule = rule
		}
	})
}

// Neighbours holds the share of the k nearest rows of each row that stay, or are excused by the
// Margin, to a least value. It belongs to MatchEmbeddings.
func (m *DecisionMatcher) Neighbours(k int, least float64) *DecisionMatcher {
	return adjusted(m, "Neighbours", "MatchEmbeddings", func(r *decisions.Embeddings) {
		r.K, r.Neighbours = k, least
	})
}

// FromScores takes the class of a pixel from scores, with the classes along axis, counted from the
// end where negative. It belongs to MatchMask.
func (m *DecisionMatcher) FromScores(axis int) *DecisionMatcher {
	return adjusted(m, "FromScores", "MatchMask", func(r *decisions.Mask) {
		r.From, r.Axis = decisions.FromScores, axis
	})
}

// FromThreshold takes pixels with a score above threshold for class 1, the others for class 0. It
// belongs to MatchMask.
func (m *DecisionMatcher) FromThreshold(threshold float64) *DecisionMatcher {
	return adjusted(m, "FromThreshold", "MatchMask", func(r *decisions.Mask) {
		r.From, r.Threshold = decisions.FromThreshold, threshold
	})
}

// Boundary excuses pixels that lie at most that many pixels from an expected boundary. It belongs
// to MatchMask.
func (m *DecisionMatcher) Boundary(pixels int) *DecisionMatcher {
	return adjusted(m, "Boundary", "MatchMask", func(r *decisions.Mask) { r.Boundary = pixels })
}

// Agreement holds the share of pixels that are equal or excused to a least value, in place of every
// pixel. It belongs to MatchMask.
func (m *DecisionMatcher) Agreement(least float64) *DecisionMatcher {
	return adjusted(m, "Agreement", "MatchMask", func(r *decisions.Mask) { r.Agreement = least })
}

// MeanIoU holds the mean IoU of the classes to a least value, in place of every pixel. It belongs
// to MatchMask.
func (m *DecisionMatcher) MeanIoU(least float64) *DecisionMatcher {
	return adjusted(m, "MeanIoU", "MatchMask", func(r *decisions.Mask) { r.MeanIoU = least })
}

// AtMost holds a statistic of the logits to a greatest value, such as decisions.MeanKLD(). It
// belongs to MatchLogits.
func (m *DecisionMatcher) AtMost(s decisions.LogitStatistic, most float64) *DecisionMatcher {
	return m.holding("AtMost", decisions.LogitLimit{Statistic: s, Limit: most, AtMost: true})
}

// AtLeast holds a statistic of the logits to a least value, such as decisions.SameTop(). It belongs
// to MatchLogits.
func (m *DecisionMatcher) AtLeast(s decisions.LogitStatistic, least float64) *DecisionMatcher {
	return m.holding("AtLeast", decisions.LogitLimit{Statistic: s, Limit: least})
}

func (m *DecisionMatcher) holding(method string, limit decisions.LogitLimit) *DecisionMatcher {
	return adjusted(m, method, "MatchLogits", func(r *decisions.Logits) {
		r.Limits = append(slices.Clip(r.Limits), limit)
	})
}

// TokensIn names the output that holds the tokens of the logits, where it is not called "tokens".
// It belongs to MatchLogits.
func (m *DecisionMatcher) TokensIn(output string) *DecisionMatcher {
	return adjusted(m, "TokensIn", "MatchLogits", func(r *decisions.Logits) { r.Tokens = output })
}

// WithoutTail leaves tokens out of the divergence whose expected log-probability is at most −nats;
// llama.cpp's files keep none below −16. It belongs to MatchLogits.
func (m *DecisionMatcher) WithoutTail(nats float64) *DecisionMatcher {
	return adjusted(m, "WithoutTail", "MatchLogits", func(r *decisions.Logits) { r.Tail = nats })
}

// Logits names the output that holds the logits of the tokens, which the Margin is of. A run of
// package decode needs no name. It belongs to MatchTokens.
func (m *DecisionMatcher) Logits(output string) *DecisionMatcher {
	return adjusted(m, "Logits", "MatchTokens", func(r *decisions.Tokens) { r.Logits = output })
}

// InTop excuses the first difference where each of the two tokens is among the n greatest logits of
// the other side. It belongs to MatchTokens.
func (m *DecisionMatcher) InTop(n int) *DecisionMatcher {
	return adjusted(m, "InTop", "MatchTokens", func(r *decisions.Tokens) { r.Top = n })
}

// EndingWith leaves out what follows the first token of that id. It belongs to MatchTokens.
func (m *DecisionMatcher) EndingWith(id int) *DecisionMatcher {
	return adjusted(m, "EndingWith", "MatchTokens", func(r *decisions.Tokens) {
		r.End, r.Ends = id, true
	})
}

// Edits holds each sequence to an edit distance, as a share of its expected tokens, in place of
// equality. It belongs to MatchTokens.
func (m *DecisionMatcher) Edits(most float64) *DecisionMatcher {
	return adjusted(m, "Edits", "MatchTokens", func(r *decisions.Tokens) { r.Edits = most })
}

// IoU is how much two boxes must share to be one, in place of 0.5. It belongs to MatchDetections.
func (m *DecisionMatcher) IoU(least float64) *DecisionMatcher {
	changed := adjusted(m, "IoU", "MatchDetections", func(r *decisions.Detections) { r.IoU = least })
	if least == 0 {
		changed.of.wrong(errors.New("IoU 0: want more than 0, and at most 1"))
	}
	return changed
}

// MaxDetections is how many boxes of a class in an image are matched at most, those with the
// greatest scores, in place of COCO's 100. It belongs to MatchDetections.
func (m *DecisionMatcher) MaxDetections(n int) *DecisionMatcher {
	return adjusted(m, "MaxDetections", "MatchDetections", func(r *decisions.Detections) {
		r.MaxDetections = n
	})
}

// ScoresWithin also holds how much the score of a matched box may change. It belongs to
// MatchDetections.
func (m *DecisionMatcher) ScoresWithin(most float64) *DecisionMatcher {
	return adjusted(m, "ScoresWithin", "MatchDetections", func(r *decisions.Detections) {
		r.ScoreChange = most
	})
}

// BoxesWithin also holds how far a corner of a matched box may move, in the boxes' own unit. It
// belongs to MatchDetections.
func (m *DecisionMatcher) BoxesWithin(most float64) *DecisionMatcher {
	return adjusted(m, "BoxesWithin", "MatchDetections", func(r *decisions.Detections) {
		r.BoxChange = most
	})
}
