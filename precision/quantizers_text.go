package precision

import (
	"fmt"
	"strings"
)

// Text formats the result for people. It ends with a newline.
func (q *Quantization) Text() string {
	var b strings.Builder
	what, remove := "quantizers to remove", "remove"
	if q.Format == INT4 {
		what, remove = "weights to keep in float32, the others in int4", "keep"
	}
	fmt.Fprintf(&b, "%s: %d of %d %s (%.0f %%), found in %d runs\n", q.Model,
		q.Remove, len(q.Quantizers), what, 100*float64(q.Remove)/float64(len(q.Quantizers)), q.Runs)
	if q.Frozen > 0 {
		fmt.Fprintf(&b, "weights stored as integers, which stay unchanged: %d\n", q.Frozen)
	}
	fmt.Fprintf(&b, "\n%-6s  error of the output  SNR of the tensor  tensor\n", remove)
	for j, one := range q.Quantizers {
		mark := ""
		if j < q.Remove {
			mark = "x"
		}
		fmt.Fprintf(&b, "%-6s  %-19.2g  %-17.1f  %s\n", mark, one.Error, one.SNR, one.Tensor)
	}
	b.WriteString("\nremoved  SNR of the outputs\n")
	for _, p := range q.Curve {
		fmt.Fprintf(&b, "%5.0f %%  %6.1f dB  %s\n", p.Percent, p.SNR, verdict(p.Passes))
	}
	if q.Format == INT4 {
		b.WriteString("\nonnxruntime.quantization.matmul_nbits_quantizer.MatMulNBitsQuantizer(model, " +
			"block_size=32,\n  is_symmetric=True, nodes_to_exclude=[" + q.excluded() + "])\n")
	}
	return b.String()
}
