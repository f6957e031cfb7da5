package onnxwire

import "google.golang.org/protobuf/encoding/protowire"

// The fields that an editor of models writes; the scanner has the rest.
const (
	ModelIRVersion = modelIRVersion
	ModelGraph     = modelGraph
	ModelOpset     = modelOpsetImport
	ModelFunction  = modelFunctions

	GraphNode              = graphNode
	GraphName              = graphName
	GraphInitializer       = graphInitializer
	GraphSparseInitializer = graphSparseInitializer
	GraphInput             = graphInput
	GraphOutput            = graphOutput
	GraphValueInfo         = graphValueInfo

	NodeOutput = nodeOutput
)

// Rewrite returns the NodeProto in message with its outputs renamed; names that rename does not
// hold stay. Nothing else is touched: attributes are copied byte by byte.
func Rewrite(message []byte, rename map[string]string) []byte {
	out := make([]byte, 0, len(message)+32)
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, message[n:])
		if size < 0 {
			break
		}
		if number == nodeOutput && kind == protowire.BytesType {
			name, _ := protowire.ConsumeBytes(message[n:])
			if other, ok := rename[string(name)]; ok {
				out = protowire.AppendTag(out, nodeOutput, protowire.BytesType)
				out = protowire.AppendString(out, other)
				message = message[n+size:]
				continue
			}
		}
		out = append(out, message[:n+size]...)
		message = message[n+size:]
	}
	return append(out, message...)
}
