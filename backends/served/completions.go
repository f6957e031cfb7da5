package served

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/internal/option"
)

// Completions returns the language model at the URL of a server that speaks OpenAI's protocol for
// completions, such as vLLM or llama.cpp's server:
//
//	server := served.Completions("http://host:8000/v1/completions",
//		served.Generate(served.Generation{Tokens: 32, Logprobs: 20}))
//	Expect(server.Run(ctx, decode.Tokens(prompt, another))).To(
//		MatchDecisions(decisions.Tokens{Margin: 0.1}).Of(golden))
//
// The returned engine has the inputs and outputs of decode.Run. The inputs are token ids with their
// mask. The outputs are "tokens" and, as "logits.top_values" and "logits.top_tokens", the largest
// log-probabilities, sorted. The outputs of log-probabilities have one row for every generated
// token and, with [Generation].Prompt, also one for every token of the prompt after the first. The
// tokens are the most likely ones (temperature 0). If the server ends a sequence early, the missing
// tokens are −1.
//
// All sequences of an iteration are sent concurrently, one request each. The server must name
// tokens by id. If the server serves several models, [Generation].Fields must name one of them.
func Completions(url string, options ...Option) backends.ModelEngine {
	return deployed(url, true, kind.List(options...))
}

// Generation sets what [Completions] requests from the server.
type Generation struct {
	// Tokens is the number of tokens to generate after each prompt; 0 means 16.
	Tokens int `json:"tokens,omitempty"`
	// Logprobs is the number of log-probabilities to keep for each token; 0 means 5. Servers have a
	// limit.
	Logprobs int `json:"logprobs,omitempty"`
	// Vocabulary, if not 0, is the size of the vocabulary. The run then has the output "logits",
	// [batch,tokens,vocabulary], instead of only the largest log-probabilities. Tokens that the
	// server does not list share the remaining probability.
	Vocabulary int `json:"vocabulary,omitempty"`
	// Prompt also requests the log-probabilities of the prompt's tokens (vLLM's prompt_logprobs).
	Prompt bool `json:"prompt,omitempty"`
	// Fields is a JSON object with additional fields for each request, such as {"cache_prompt":
	// false}.
	Fields string `json:"fields,omitempty"`
}

// Generate sets what [Completions] requests from the server; see [Generation].
func Generate(g Generation) Option {
	return option.New(option.Call("served.Generate", g), func(s *settings) error {
		switch {
		case g.Tokens < 0 || g.Logprobs < 0:
			return fmt.Errorf("invalid Tokens %d or Logprobs %d; both must be 0 or more",
				g.Tokens, g.Logprobs)
		case g.Vocabulary != 0 && g.Vocabulary < max(2, g.Logprobs):
			return fmt.Errorf("invalid Vocabulary %d; it must be at least 2 and at least Logprobs",
				g.Vocabulary)
		case g.Fields != "" && !json.Valid([]byte(g.Fields)):
			return fmt.Errorf("the text of Fields is not valid JSON: %.60q", g.Fields)
		}
		s.Generation = &g
		return nil
	})
}

// asked returns what to request, with the defaults filled in.
func (s *settings) asked() *oip.Generation {
	g := Generation{}
	if s.Generation != nil {
		g = *s.Generation
	}
	g.Tokens, g.Logprobs = cmp.Or(g.Tokens, 16), cmp.Or(g.Logprobs, 5)
	asked := oip.Generation(g)
	return &asked
}

// note returns the note that package decode adds to its own runs. The note says which outputs are
// logits.
func (s *settings) note() map[string]json.RawMessage {
	note := `{"caches": [], "logits": ["logits.top_values", "logits.top_tokens"]}`
	if s.asked().Vocabulary > 0 {
		note = `{"caches": [], "logits": ["logits"]}`
	}
	return map[string]json.RawMessage{"decode": json.RawMessage(note)}
}

// completes reports whether a URL is the address of a completions endpoint.
func completes(text string) bool {
	u, err := url.Parse(text)
	return err == nil && strings.HasSuffix(u.Path, "/completions") &&
		!strings.Contains(u.Path, "/v2/models/")
}
