# A server of Triton's form over gRPC, of the messages of NVIDIA's client, for the specs of
# backends/served: triton_server.py PORT. It refuses a request that the client would write otherwise.
import sys
from concurrent import futures

import grpc
import numpy as np
import tritonclient.grpc as triton
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import deserialize_bytes_tensor, triton_to_np_dtype

FIELDS = {"BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents",
          "INT32": "int_contents", "INT64": "int64_contents", "UINT8": "uint_contents",
          "UINT16": "uint_contents", "UINT32": "uint_contents", "UINT64": "uint64_contents",
          "FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents"}


def array(tensor, raw):
    if tensor.datatype == "BYTES":
        flat = deserialize_bytes_tensor(raw)
    else:
        flat = np.frombuffer(raw, triton_to_np_dtype(tensor.datatype))
    return flat.reshape(list(tensor.shape))


def again(request):
    """The request as NVIDIA's client writes it."""
    made = service_pb2.ModelInferRequest(model_name=request.model_name,
                                         model_version=request.model_version)
    for tensor, raw in zip(request.inputs, request.raw_input_contents):
        i = triton.InferInput(tensor.name, list(tensor.shape), tensor.datatype)
        i.set_data_from_numpy(array(tensor, raw))
        made.inputs.append(i._get_tensor())
        made.raw_input_contents.append(i._get_content())
    return made


class Server(service_pb2_grpc.GRPCInferenceServiceServicer):
    def ModelReady(self, request, context):
        return service_pb2.ModelReadyResponse(ready=request.name in ("echo", "typed", "net"))

    def ServerMetadata(self, request, context):
        return service_pb2.ServerMetadataResponse(name="triton's messages", version="2.73",
                                                  extensions=["binary_tensor_data"])

    def ModelMetadata(self, request, context):
        return service_pb2.ModelMetadataResponse(name=request.name, versions=["3"],
                                                 platform="python")

    def ModelInfer(self, request, context):
        if request != again(request):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"expected {again(request)}")
        arrays = {t.name: (t, array(t, raw))
                  for t, raw in zip(request.inputs, request.raw_input_contents)}
        answer = service_pb2.ModelInferResponse(model_name=request.model_name, model_version="3")
        if request.model_name == "net":
            kind, minuend = arrays["minuend"]
            difference = minuend - arrays["subtrahend"][1]
            arrays = {"opposite": (kind, -difference), "difference": (kind, difference)}
        for name, (like, value) in arrays.items():
            output = answer.outputs.add(name=name, datatype=like.datatype, shape=value.shape)
            if request.model_name == "typed":
                getattr(output.contents, FIELDS[like.datatype]).extend(value.ravel().tolist())
                continue
            i = triton.InferInput(name, list(value.shape), like.datatype)
            i.set_data_from_numpy(value)
            answer.raw_output_contents.append(i._get_content())
        return answer


if __name__ == "__main__":
    server = grpc.server(futures.ThreadPoolExecutor(2))
    service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(Server(), server)
    server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
    server.start()
    server.wait_for_termination()
