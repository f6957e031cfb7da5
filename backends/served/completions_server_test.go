package served_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/tensor"
)

// vocabulary is the number of the language model's tokens.
const vocabulary = 40

// generator is a completions server with a small language model, which batches requests that
// come at the same time and keeps the prefixes that it has seen. A fault spoils one of its parts.
type generator struct {
	*httptest.Server
	fault string
	form  string // "vllm", "llama.cpp" or "text"

	mu      sync.Mutex
	seen    [][]int // prefixes in the cache
	waiting []*request
	last    *time.Timer // runs the batch if no further request comes
	asked   []map[string]any
}

type request struct {
	Prompt   []int
	Tokens   int  `json:"max_tokens"`
	Top      int  `json:"logprobs"`
	ForGiven *int `json:"prompt_logprobs"`

	at   int // its place in the batch
	with []*request
	run  chan struct{}
}

// row returns the log-probabilities of the token after a text: each token of the text adds a wave,
// and a later one counts more.
func row(text []int) []float64 {
	scores := make([]float64, vocabulary)
	for i, token := range text {
		weight := math.Pow(0.8, float64(len(text)-1-i))
		for k := range scores {
			scores[k] += 3 * weight * math.Sin(float64((token+1)*(k+3))*0.37+float64(i)*0.11)
		}
	}
	sum := 0.0
	for _, v := range scores {
		sum += math.Exp(v)
	}
	for k := range scores {
		scores[k] -= math.Log(sum)
	}
	return scores
}

// sorted returns the tokens in the order of their scores.
func sorted(scores []float64) []int {
	all := make([]int, len(scores))
	for k := range all {
		all[k] = k
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return all
}

func newGenerator(form string) *generator {
	g := &generator{form: form}
	g.Server = httptest.NewServer(http.HandlerFunc(g.serve))
	DeferCleanup(g.Close)
	return g
}

// completions is the server's model as a spec writes it.
func (g *generator) completions(of served.Generation) backends.ModelEngine {
	return served.Completions(g.URL+"/v1/completions", served.Generate(of))
}

// quiet is how long no request has to come before a batch runs.
const quiet = 30 * time.Millisecond

// batch waits for the requests that come at the same time.
func (g *generator) batch(r *request) {
	g.mu.Lock()
	r.run = make(chan struct{})
	if g.waiting = append(g.waiting, r); len(g.waiting) > 1 {
		g.last.Reset(quiet)
	} else {
		g.last = time.AfterFunc(quiet, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			for i, one := range g.waiting {
				one.at, one.with = i, g.waiting
				close(one.run)
			}
			g.waiting = nil
		})
	}
	g.mu.Unlock()
	<-r.run
}

// cached reports whether the whole prompt, and whether a part of it, is in the cache, and puts it
// there.
func (g *generator) cached(prompt []int) (whole, part bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, text := range g.seen {
		whole = whole || slices.Equal(text, prompt)
		part = part || len(text) >= 2 && len(prompt) >= 2 && slices.Equal(text[:2], prompt[:2])
	}
	g.seen = append(g.seen, prompt)
	return whole, part
}

func (g *generator) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		fmt.Fprint(w, `{"data": [{"id": "small", "owned_by": "stand-in"}]}`)
		return
	}
	var asked map[string]any
	var q request
	var text json.RawMessage
	if json.NewDecoder(r.Body).Decode(&text) != nil || json.Unmarshal(text, &asked) != nil ||
		json.Unmarshal(text, &q) != nil {
		http.Error(w, `{"error": "not a request"}`, http.StatusBadRequest)
		return
	}
	g.batch(&q)
	whole, part := g.cached(q.Prompt)
	g.mu.Lock()
	g.asked = append(g.asked, asked)
	g.mu.Unlock()

	given := q.Prompt
	switch longest := slices.MaxFunc(q.with, func(a, b *request) int {
		return len(a.Prompt) - len(b.Prompt)
	}); {
	case g.fault == "answers are exchanged" && len(q.with) > 1:
		given = q.with[(q.at+1)%len(q.with)].Prompt
	case g.fault == "padding is not masked":
		given = append(make([]int, len(longest.Prompt)-len(q.Prompt)), q.Prompt...)
	case g.fault == "a prompt in the cache loses its last token" && whole:
		given = q.Prompt[:len(q.Prompt)-1]
	case g.fault == "a prefix of another prompt is used" && part && !whole:
		given = append([]int{7}, q.Prompt[1:]...)
	case g.fault == "the context is cut":
		given = q.Prompt[max(0, len(q.Prompt)-4):]
	}
	chosen, rows := slices.Clone(given), [][]float64(nil)
	for i := range q.Tokens {
		scores := row(chosen)
		order := sorted(scores)
		next := order[0]
		switch {
		case g.fault == "a batch is computed in less precision" && len(q.with) > 1:
			for k := range scores {
				scores[k] = math.Round(scores[k]*8) / 8
			}
		case g.fault == "the second token is chosen" && i == 2:
			next = order[1]
		case g.fault == "log-probabilities are of a temperature":
			for k := range scores {
				scores[k] *= 0.9
			}
		case g.fault == "it ends early" && i == q.Tokens-1:
			continue
		}
		rows, chosen = append(rows, scores), append(chosen, next)
	}
	count := len(rows)
	if g.fault == "a token has no log-probabilities" {
		rows = rows[1:]
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{
		g.choice(&q, chosen[len(given):], rows)}, "usage": map[string]any{"completion_tokens": count}})
}

// choice writes a completion in the form of one of the servers.
func (g *generator) choice(q *request, chosen []int, rows [][]float64) map[string]any {
	var tokens []string
	var top []map[string]float64
	var content []map[string]any
	name := func(token int) string { return fmt.Sprintf("token_id:%d", token) }
	if g.form == "text" {
		name = func(token int) string { return string(rune('a' + token)) }
	}
	for i, scores := range rows {
		listed, ids := map[string]float64{}, []map[string]any(nil)
		for _, token := range sorted(scores)[:q.Top] {
			listed[name(token)] = scores[token]
			ids = append(ids, map[string]any{"id": token, "logprob": scores[token]})
		}
		listed[name(chosen[i])] = scores[chosen[i]] // as vLLM adds it
		tokens, top = append(tokens, name(chosen[i])), append(top, listed)
		content = append(content, map[string]any{"id": chosen[i], "top_logprobs": ids})
	}
	choice := map[string]any{"logprobs": map[string]any{"tokens": tokens, "top_logprobs": top}}
	if g.form == "llama.cpp" {
		choice["logprobs"] = map[string]any{"content": content}
	}
	if q.ForGiven != nil && g.form == "vllm" {
		prompt := []any{nil}
		for i := 1; i < len(q.Prompt); i++ {
			scores, at := row(q.Prompt[:i]), map[string]any{}
			for _, token := range append(sorted(scores)[:*q.ForGiven], q.Prompt[i]) {
				at[fmt.Sprint(token)] = map[string]any{"logprob": scores[token], "rank": 1}
			}
			prompt = append(prompt, at)
		}
		choice["prompt_logprobs"] = prompt
	}
	return choice
}

// reference is the run that the language model itself gives, in the form of decode.Run.
func reference(prompts [][]int64, tokens int, prompt bool) *tensor.Set {
	GinkgoHelper()
	longest := len(slices.MaxFunc(prompts, func(a, b []int64) int { return len(a) - len(b) }))
	width := longest + tokens
	count := tokens
	if prompt {
		count = width - 1
	}
	ids := slices.Repeat([]int64{-1}, len(prompts)*width)
	logits := make([]float32, len(prompts)*count*vocabulary)
	for b, p := range prompts {
		var text []int
		at := b*width + longest - len(p)
		for i := range len(p) + tokens {
			token := int64(0)
			if i < len(p) {
				token = p[i]
			}
			if scores := row(text); i > 0 {
				if i >= len(p) {
					token = int64(sorted(scores)[0])
				}
				if place := longest - len(p) + i - (width - count); place >= 0 && (prompt || i >= len(p)) {
					for k, v := range scores {
						logits[(b*count+place)*vocabulary+k] = float32(v)
					}
				}
			}
			ids[at+i], text = token, append(text, int(token))
		}
	}
	a, err := tensor.New(tensor.Shape{len(prompts), count, vocabulary}, logits)
	Expect(err).NotTo(HaveOccurred())
	b, err := tensor.New(tensor.Shape{len(prompts), width}, ids)
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "logits", Tensor: a}, tensor.Entry{Name: "tokens",
		Tensor: b})
	Expect(err).NotTo(HaveOccurred())
	return set
}

// masked returns one sequence with its mask.
func masked(ids, mask []int64) *tensor.Set {
	GinkgoHelper()
	a, err := tensor.New(tensor.Shape{1, len(ids)}, ids)
	Expect(err).NotTo(HaveOccurred())
	b, err := tensor.New(tensor.Shape{1, len(mask)}, mask)
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "input_ids", Tensor: a},
		tensor.Entry{Name: "attention_mask", Tensor: b})
	Expect(err).NotTo(HaveOccurred())
	return set
}
