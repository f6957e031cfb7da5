# Models of an MLServer for the specs of backends/served: one gives its inputs back, one subtracts.
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceRequest, InferenceResponse, ResponseOutput


class Echo(MLModel):
    async def load(self) -> bool:
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        outputs = [ResponseOutput(name=i.name, datatype=i.datatype, shape=i.shape, data=i.data)
                   for i in payload.inputs]
        return InferenceResponse(model_name=self.name, model_version=self.version, outputs=outputs)


class Difference(Echo):
    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        given = {i.name: NumpyCodec.decode_input(i) for i in payload.inputs}
        difference = given["minuend"] - given["subtrahend"]
        outputs = [NumpyCodec.encode_output("opposite", -difference),
                   NumpyCodec.encode_output("difference", difference)]
        return InferenceResponse(model_name=self.name, model_version=self.version, outputs=outputs)
