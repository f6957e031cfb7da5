package oip

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/tensor"
)

// Generation sets what to request from a completions server; see served.Generation.
type Generation struct {
	Tokens, Logprobs, Vocabulary int
	Prompt                       bool
	Fields                       string
}

// completions is a connection to a server that speaks OpenAI's protocol for completions.
type completions struct {
	*httpClient
	Generation
	fields map[string]any // of every request
}

func newCompletions(t Target) (Client, error) {
	c := &completions{httpClient: newHTTP(t), Generation: *t.Generation}
	base := url.URL{Scheme: t.Scheme, Host: t.Host, Path: t.Prefix}
	c.base = base.String()
	c.fields = map[string]any{"max_tokens": c.Tokens, "logprobs": c.Logprobs, "temperature": 0,
		"return_tokens_as_token_ids": true} // of vLLM; other servers ignore it
	if c.Prompt {
		c.fields["prompt_logprobs"] = c.Logprobs
	}
	if c.Fields != "" {
		if err := json.Unmarshal([]byte(c.Fields), &c.fields); err != nil {
			return nil, fmt.Errorf("Generation.Fields is not a JSON object: %w", err)
		}
	}
	return c, nil
}

// Describe asks the server for its models. If [Generation].Fields names no model, the server must
// have exactly one.
func (c *completions) Describe(ctx context.Context) (d Description, err error) {
	body, _, err := c.do(ctx, http.MethodGet, c.base+"/models", nil, 0)
	if err != nil {
		return d, err
	}
	var served struct {
		Data []struct {
			ID      string `json:"id"`
			OwnedBy string `json:"owned_by"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &served); err != nil {
		return d, fmt.Errorf("models: %w", Broken("%w", err))
	}
	var names []string
	for _, m := range served.Data {
		names = append(names, m.ID)
	}
	if c.fields["model"] == nil {
		if len(names) != 1 {
			return d, fmt.Errorf(`the server has %d models, %q: name one in Fields, such as {"model": `+
				`"NAME"}`,
				len(names), names)
		}
		c.fields["model"] = names[0]
	}
	at := slices.Index(names, fmt.Sprint(c.fields["model"]))
	if at < 0 {
		return d, fmt.Errorf("the server has no model %v, only %q", c.fields["model"], names)
	}
	tokens := func(name string) Value { return Value{name, "INT64", []int64{-1, -1}} }
	return Description{Server: served.Data[at].OwnedBy, Platform: names[at],
		Inputs: []Value{tokens("input_ids"), tokens("attention_mask")}}, nil
}

// Infer sends one request for each sequence, all concurrently.
func (c *completions) Infer(ctx context.Context, inputs *tensor.Set) (Answer, error) {
	ids, _ := inputs.Get("input_ids")
	mask, _ := inputs.Get("attention_mask")
	if len(ids.Shape()) != 2 || ids.Len() == 0 || !mask.Shape().Equal(ids.Shape()) {
		return Answer{}, fmt.Errorf("input_ids is %v and attention_mask %v; want [batch,tokens] for both",
			ids.Shape(), mask.Shape())
	}
	width := ids.Shape()[1]
	all := make([]generated, ids.Shape()[0])
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	for i := range all {
		for k := range width {
			if mask.Float64At(i*width+k) != 0 {
				all[i].prompt = append(all[i].prompt, int64(ids.Float64At(i*width+k)))
			}
		}
		if all[i].prompt == nil {
			errs[i] = fmt.Errorf("sequence %d contains only padding", i)
			continue
		}
		wait.Go(func() {
			if err := c.complete(ctx, &all[i]); err != nil {
				errs[i] = fmt.Errorf("sequence %d: %w", i, err)
			}
		})
	}
	wait.Wait()
	if err := cmp.Or(errs...); err != nil {
		return Answer{}, err
	}
	outputs, err := c.outputs(all, width)
	return Answer{Outputs: outputs}, err
}

// generated is a prompt and the tokens that the server generated after it.
type generated struct {
	prompt, chosen []int64
	rows           [][]candidate // for each chosen token, and before them for the prompt's tokens
}

// candidate is a token and its log-probability.
type candidate struct {
	token   int64
	logprob float64
}

func (c *completions) complete(ctx context.Context, g *generated) error {
	fields := maps.Clone(c.fields)
	fields["prompt"] = g.prompt
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	text, _, err := c.do(ctx, http.MethodPost, c.base+"/completions", body, 0)
	if err != nil {
		return err
	}
	var answer struct {
		Choices []choice `json:"choices"`
		Usage   struct {
			Tokens int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return Broken("%w", err)
	}
	if len(answer.Choices) != 1 {
		return Broken("%d choices, want 1", len(answer.Choices))
	}
	if err := c.read(g, answer.Choices[0]); err != nil {
		return err
	}
	lost := answer.Usage.Tokens - len(g.chosen)
	if answer.Choices[0].Finished == "stop" {
		lost-- // the token that ends the text
	}
	if lost > 0 {
		return Broken("%d tokens were generated, but only %d have log-probabilities (llama.cpp's server "+
			"leaves out a token that ends inside a character)", answer.Usage.Tokens, len(g.chosen))
	}
	for i, row := range g.rows {
		slices.SortStableFunc(row, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.logprob, a.logprob), cmp.Compare(a.token, b.token))
		})
		if slices.ContainsFunc(row, func(v candidate) bool { return v.token < 0 }) {
			return Broken("a negative token at position %d", i)
		}
		if len(row) < c.Logprobs {
			return Broken("%d log-probabilities at position %d, want %d", len(row), i, c.Logprobs)
		}
		if len(row) > 0 && row[0].logprob > mostLogprob {
			return Broken("token %d at position %d has log-probability %g, above 0: it may be a logit",
				row[0].token, i, row[0].logprob)
		}
		g.rows[i] = row[:c.Logprobs]
	}
	return nil
}

// mostLogprob is the largest log-probability that is accepted from a server. An exact
// log-probability is at most 0, but a server that rounds to 16 bits can exceed 0 slightly.
const mostLogprob = 0.1

// choice is a completion in the JSON of OpenAI, vLLM and llama.cpp.
type choice struct {
	Finished string `json:"finish_reason"`
	Logprobs struct {
		Tokens []string             `json:"tokens"`
		Top    []map[string]float64 `json:"top_logprobs"`
		// Content is llama.cpp's form.
		Content []struct {
			ID  *int64 `json:"id"`
			Top []struct {
				ID      int64   `json:"id"`
				Logprob float64 `json:"logprob"`
			} `json:"top_logprobs"`
		} `json:"content"`
	} `json:"logprobs"`
	// Prompt is set only by vLLM. The first token has no log-probabilities.
	Prompt []map[string]promptLogprob `json:"prompt_logprobs"`
}

type promptLogprob struct {
	Logprob float64 `json:"logprob"`
}

// read reads the tokens and their candidates.
func (c *completions) read(g *generated, from choice) error {
	if c.Prompt {
		if len(from.Prompt) != len(g.prompt) {
			return Broken("prompt_logprobs has %d positions for a prompt of %d tokens; if the server does "+
				"not support it, drop Generation.Prompt", len(from.Prompt), len(g.prompt))
		}
		for _, at := range from.Prompt[1:] {
			row, err := candidates(at, func(v promptLogprob) float64 { return v.Logprob })
			if err != nil {
				return err
			}
			g.rows = append(g.rows, row)
		}
	}
	said := from.Logprobs
	if len(said.Top) != len(said.Tokens) {
		return Broken("%d tokens, but %d rows of log-probabilities", len(said.Tokens), len(said.Top))
	}
	for i, text := range said.Tokens {
		token, err := id(text)
		if err != nil {
			return err
		}
		row, err := candidates(said.Top[i], func(logprob float64) float64 { return logprob })
		if err != nil {
			return err
		}
		g.chosen, g.rows = append(g.chosen, token), append(g.rows, row)
	}
	for _, at := range said.Content {
		if at.ID == nil {
			return Broken("a token has no id")
		}
		var row []candidate
		for _, v := range at.Top {
			row = append(row, candidate{v.ID, v.Logprob})
		}
		g.chosen, g.rows = append(g.chosen, *at.ID), append(g.rows, row)
	}
	if len(g.chosen) == 0 || len(g.chosen) > c.Tokens {
		return Broken("%d tokens have log-probabilities, want %d", len(g.chosen), c.Tokens)
	}
	return nil
}

// candidates returns the tokens that the server lists for one position. The function logprob
// returns the log-probability of an entry.
func candidates[V any](at map[string]V, logprob func(V) float64) (row []candidate, err error) {
	for text, v := range at {
		token, err := id(text)
		if err != nil {
			return nil, err
		}
		row = append(row, candidate{token, logprob(v)})
	}
	return row, nil
}

// id parses a token's id, which may be written as "token_id:42" or as "42".
func id(text string) (int64, error) {
	token, err := strconv.ParseInt(strings.TrimPrefix(text, "token_id:"), 10, 64)
	if err != nil {
		return 0, Broken("token %.40q is given by its text; use a server that returns token ids, "+
			"such "+
			"as vLLM or llama.cpp's", text)
	}
	return token, nil
}

// outputs returns the outputs of decode.Run for the completions. The prompts are padded on the left
// to the length longest.
func (c *completions) outputs(all []generated, longest int) (*tensor.Set, error) {
	width, count := longest+c.Tokens, c.Tokens // of the tokens, and of the rows of logits
	if c.Prompt {
		count = width - 1
	}
	words := max(c.Logprobs, c.Vocabulary)
	tokens := slices.Repeat([]int64{-1}, len(all)*width)
	values := make([]float32, len(all)*count*words)
	ids := make([]int64, len(all)*count*c.Logprobs)
	for b, g := range all {
		copy(tokens[b*width+longest-len(g.prompt):], append(slices.Clone(g.prompt), g.chosen...))
		first := count - c.Tokens - (len(g.rows) - len(g.chosen))
		for i, row := range g.rows {
			at := b*count + first + i
			if c.Vocabulary > 0 {
				if err := spread(values[at*words:(at+1)*words], row); err != nil {
					return nil, err
				}
				continue
			}
			for k, v := range row {
				values[at*words+k], ids[at*words+k] = float32(v.logprob), v.token
			}
		}
	}
	shape := tensor.Shape{len(all), count, words}
	chosen, err := tensor.New(tensor.Shape{len(all), width}, tokens)
	if err != nil {
		return nil, err
	}
	scores, err := tensor.New(shape, values)
	if err != nil {
		return nil, err
	}
	entries := []tensor.Entry{{Name: "logits", Tensor: scores}}
	if c.Vocabulary == 0 {
		top, err := tensor.New(shape, ids)
		if err != nil {
			return nil, err
		}
		entries = []tensor.Entry{{Name: "logits.top_values", Tensor: scores},
			{Name: "logits.top_tokens", Tensor: top}}
	}
	return tensor.NewSet(append(entries, tensor.Entry{Name: "tokens", Tensor: chosen})...)
}

// spread writes a row of log-probabilities over the whole vocabulary. Tokens that are not in the
// row share the remaining probability, but none gets more than the smallest probability in the row.
func spread(into []float32, row []candidate) error {
	rest := 1.0
	for _, v := range row {
		rest -= math.Exp(v.logprob)
	}
	const least = 1e-12
	share := math.Log(max(rest, least) / float64(max(1, len(into)-len(row))))
	share = min(share, row[len(row)-1].logprob)
	for i := range into {
		into[i] = float32(share)
	}
	for _, v := range row {
		if v.token < 0 || v.token >= int64(len(into)) {
			return Broken("token %d is outside the vocabulary of %d", v.token, len(into))
		}
		into[v.token] = float32(v.logprob)
	}
	return nil
}
