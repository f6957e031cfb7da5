# A server of KServe's SDK for the specs of backends/served: kserve_server.py HTTP_PORT GRPC_PORT
import sys

from kserve import InferOutput, InferResponse, Model, ModelServer


class Echo(Model):
    def __init__(self, name):
        super().__init__(name)
        self.ready = True

    def predict(self, payload, headers=None, response_headers=None):
        outputs = []
        for i in payload.inputs:
            o = InferOutput(i.name, i.shape, i.datatype)
            o.set_data_from_numpy(i.as_numpy(), binary_data=payload.use_binary_outputs)
            outputs.append(o)
        return InferResponse(response_id="1", model_name=self.name, infer_outputs=outputs,
                             use_binary_outputs=payload.use_binary_outputs)


class Difference(Echo):
    def predict(self, payload, headers=None, response_headers=None):
        given = {i.name: i.as_numpy() for i in payload.inputs}
        difference = given["minuend"] - given["subtrahend"]
        outputs = []
        for name, array in (("opposite", -difference), ("difference", difference)):
            o = InferOutput(name, list(array.shape), "FP32")
            o.set_data_from_numpy(array, binary_data=payload.use_binary_outputs)
            outputs.append(o)
        return InferResponse(response_id="1", model_name=self.name, infer_outputs=outputs,
                             use_binary_outputs=payload.use_binary_outputs)


if __name__ == "__main__":
    server = ModelServer(http_port=int(sys.argv[1]), grpc_port=int(sys.argv[2]), enable_grpc=True,
                         workers=1)
    server.start([Echo("echo"), Difference("net")])
