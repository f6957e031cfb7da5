// TensorRT's methods that we call, and where each lies.
//
// NVIDIA's public classes hold {virtual table, implementation}, and every public method hands on
// to one virtual method of the implementation, an apiv::V… class. Those classes are the boundary
// that NVIDIA keeps stable: within a major version methods are only appended (10.8 inserted one,
// and is refused). A row states a method's slot in the implementation's virtual table, counted
// from 0 in the Itanium C++ ABI, in which a destructor takes two.
//
//   ALWAYS(class, method, slot in 10.x, slot in 11.x, result, parameters, arguments)
//   VARIES(class, method, since, slot in 10.x, slot in 11.x, result, parameters, arguments)
//
// ALWAYS is in every release that is supported. VARIES came with 10.<since>, or is gone from 11
// (slot -1); its caller must ask first (see call.h). Parameters and arguments begin with a comma:
// they follow the object. Addresses in GPU memory are uintptr_t, which is passed as a pointer is.
//
// table_test.go holds the rows against golden lists that `go generate` reads from the headers.
// There is no include guard: a file includes this once for each thing that it makes of the rows.

ALWAYS(VHostMemory, data, 2, 2, void *, (), ())
ALWAYS(VHostMemory, size, 3, 3, size_t, (), ())

ALWAYS(VRuntime, deserializeCudaEngine, 3, 3, void *,
	(, const void *blob, size_t size), (, blob, size))
ALWAYS(VRuntime, getPluginRegistry, 18, 17, void *, (), ())
ALWAYS(VRuntime, loadRuntime, 20, 19, void *, (, const char *path), (, path))
ALWAYS(VRuntime, setEngineHostCodeAllowed, 21, 20, void, (, bool allowed), (, allowed))

ALWAYS(VRefitter, refitCudaEngine, 4, 4, bool, (), ())
ALWAYS(VRefitter, getMissingWeights, 14, 10, int32_t,
	(, int32_t size, const char **names), (, size, names))

ALWAYS(VOptimizationProfile, setDimensions, 2, 2, bool,
	(, const char *input, int32_t select, const trt_dims *dims), (, input, select, dims))
VARIES(VOptimizationProfile, setShapeValues, 0, 4, -1, bool,
	(, const char *input, int32_t select, const int32_t *values, int32_t n),
	(, input, select, values, n))
VARIES(VOptimizationProfile, setShapeValuesV2, 11, 10, 8, bool,
	(, const char *input, int32_t select, const int64_t *values, int32_t n),
	(, input, select, values, n))
ALWAYS(VOptimizationProfile, isValid, 9, 7, bool, (), ())

ALWAYS(VCudaEngine, getNbLayers, 3, 3, int32_t, (), ())
ALWAYS(VCudaEngine, createExecutionContext, 5, 5, void *, (, int32_t strategy), (, strategy))
ALWAYS(VCudaEngine, isRefittable, 8, 6, bool, (), ())
ALWAYS(VCudaEngine, getName, 9, 7, const char *, (), ())
ALWAYS(VCudaEngine, getNbOptimizationProfiles, 10, 8, int32_t, (), ())
ALWAYS(VCudaEngine, createEngineInspector, 18, 14, void *, (), ())
ALWAYS(VCudaEngine, getTensorShape, 19, 15, trt_dims, (, const char *name), (, name))
ALWAYS(VCudaEngine, getTensorDataType, 20, 16, int32_t, (, const char *name), (, name))
ALWAYS(VCudaEngine, getTensorLocation, 21, 17, int32_t, (, const char *name), (, name))
ALWAYS(VCudaEngine, getTensorIOMode, 23, 19, int32_t, (, const char *name), (, name))
ALWAYS(VCudaEngine, getTensorFormatV2, 36, 32, int32_t,
	(, const char *name, int32_t profile), (, name, profile))
ALWAYS(VCudaEngine, getTensorFormatDescV2, 37, 33, const char *,
	(, const char *name, int32_t profile), (, name, profile))
ALWAYS(VCudaEngine, getTensorVectorizedDimV2, 38, 34, int32_t,
	(, const char *name, int32_t profile), (, name, profile))
ALWAYS(VCudaEngine, getTensorComponentsPerElementV2, 35, 31, int32_t,
	(, const char *name, int32_t profile), (, name, profile))
ALWAYS(VCudaEngine, getProfileShape, 29, 25, trt_dims,
	(, const char *name, int32_t profile, int32_t select), (, name, profile, select))
ALWAYS(VCudaEngine, getNbIOTensors, 30, 26, int32_t, (), ())
ALWAYS(VCudaEngine, getIOTensorName, 31, 27, const char *, (, int32_t index), (, index))
ALWAYS(VCudaEngine, getNbAuxStreams, 33, 29, int32_t, (), ())
ALWAYS(VCudaEngine, createSerializationConfig, 39, 35, void *, (), ())
ALWAYS(VCudaEngine, getStreamableWeightsSize, 46, 38, int64_t, (), ())
VARIES(VCudaEngine, setWeightStreamingBudgetV2, 1, 48, 40, bool, (, int64_t bytes), (, bytes))
VARIES(VCudaEngine, getWeightStreamingAutomaticBudget, 1, 50, 42, int64_t, (), ())
VARIES(VCudaEngine, getDeviceMemorySizeV2, 1, 52, 44, int64_t, (), ())

ALWAYS(VSerializationConfig, getFlag, 6, 6, bool, (, int32_t flag), (, flag))

ALWAYS(VExecutionContext, setOptimizationProfileAsync, 17, 16, bool,
	(, int32_t profile, void *stream), (, profile, stream))
ALWAYS(VExecutionContext, setInputShape, 21, 20, bool,
	(, const char *name, const trt_dims *dims), (, name, dims))
ALWAYS(VExecutionContext, getTensorShape, 22, 21, trt_dims, (, const char *name), (, name))
ALWAYS(VExecutionContext, getTensorStrides, 23, 22, trt_dims, (, const char *name), (, name))
ALWAYS(VExecutionContext, setTensorAddress, 24, 23, bool,
	(, const char *name, uintptr_t data), (, name, data))
ALWAYS(VExecutionContext, inferShapes, 28, 27, int32_t,
	(, int32_t max, const char **names), (, max, names))
ALWAYS(VExecutionContext, setOutputAllocator, 32, 31, bool,
	(, const char *name, void *allocator), (, name, allocator))
ALWAYS(VExecutionContext, enqueueV3, 37, 36, bool, (, void *stream), (, stream))
ALWAYS(VExecutionContext, setDebugListener, 43, 42, bool, (, void *listener), (, listener))
ALWAYS(VExecutionContext, setTensorDebugState, 45, 44, bool,
	(, const char *name, bool on), (, name, on))
VARIES(VExecutionContext, setUnfusedTensorsDebugState, 12, 51, 50, bool, (, bool on), (, on))
ALWAYS(VExecutionContext, updateDeviceMemorySizeForShapes, 48, 47, size_t, (), ())
VARIES(VExecutionContext, setDeviceMemoryV2, 1, 49, 48, void,
	(, uintptr_t memory, int64_t size), (, memory, size))

ALWAYS(VEngineInspector, getEngineInformation, 6, 6, const char *,
	(, int32_t format),
	(, format))

ALWAYS(VTensor, setName, 2, 2, void, (, const char *name), (, name))
ALWAYS(VTensor, getName, 3, 3, const char *, (), ())
ALWAYS(VTensor, getDimensions, 5, 5, trt_dims, (), ())
ALWAYS(VTensor, getType, 7, 6, int32_t, (), ())
VARIES(VTensor, setType, 0, 6, -1, void, (, int32_t type), (, type))
ALWAYS(VTensor, isNetworkOutput, 10, 8, bool, (), ())
ALWAYS(VTensor, isShapeTensor, 21, 15, bool, (), ())
ALWAYS(VTensor, isExecutionTensor, 22, 16, bool, (), ())
ALWAYS(VTensor, setAllowedFormats, 19, 13, void, (, uint32_t formats), (, formats))

ALWAYS(VLayer, getType, 2, 2, int32_t, (), ())
ALWAYS(VLayer, getName, 4, 4, const char *, (), ())
ALWAYS(VLayer, getNbInputs, 5, 5, int32_t, (), ())
ALWAYS(VLayer, getInput, 6, 6, void *, (, int32_t index), (, index))
ALWAYS(VLayer, getNbOutputs, 7, 7, int32_t, (), ())
ALWAYS(VLayer, getOutput, 8, 8, void *, (, int32_t index), (, index))
VARIES(VLayer, setPrecision, 0, 10, -1, void, (, int32_t type), (, type))
VARIES(VLayer, setOutputType, 0, 14, -1, void, (, int32_t index, int32_t type), (, index, type))

VARIES(VAttentionBoundaryLayer, getAttention, 14, 2, 2, void *, (), ())
VARIES(VAttention, setDecomposable, 14, 15, 15, bool, (, bool on), (, on))

ALWAYS(VNetworkDefinition, markOutput, 3, 3, void, (, void *tensor), (, tensor))
ALWAYS(VNetworkDefinition, unmarkOutput, 26, 26, void, (, void *tensor), (, tensor))
ALWAYS(VNetworkDefinition, getNbLayers, 12, 12, int32_t, (), ())
ALWAYS(VNetworkDefinition, getLayer, 13, 13, void *, (, int32_t index), (, index))
ALWAYS(VNetworkDefinition, getNbInputs, 14, 14, int32_t, (), ())
ALWAYS(VNetworkDefinition, getInput, 15, 15, void *, (, int32_t index), (, index))
ALWAYS(VNetworkDefinition, getNbOutputs, 16, 16, int32_t, (), ())
ALWAYS(VNetworkDefinition, getOutput, 17, 17, void *, (, int32_t index), (, index))
ALWAYS(VNetworkDefinition, markDebug, 69, 66, bool, (, void *tensor), (, tensor))
VARIES(VNetworkDefinition, markUnfusedTensorsAsDebugTensors, 12, 79, 76, bool, (), ())

ALWAYS(VTimingCache, serialize, 2, 2, void *, (), ())
ALWAYS(VTimingCache, combine, 3, 3, bool,
	(, const void *other, bool ignoreMismatch), (, other, ignoreMismatch))

ALWAYS(VBuilderConfig, setEngineCapability, 4, 4, void, (, int32_t capability), (, capability))
VARIES(VBuilderConfig, setInt8Calibrator, 0, 6, -1, void, (, void *calibrator), (, calibrator))
ALWAYS(VBuilderConfig, getFlags, 9, 7, uint32_t, (), ())
ALWAYS(VBuilderConfig, clearFlag, 10, 8, void, (, int32_t flag), (, flag))
ALWAYS(VBuilderConfig, setFlag, 11, 9, void, (, int32_t flag), (, flag))
ALWAYS(VBuilderConfig, canRunOnDLA, 17, 15, bool, (, const void *layer), (, layer))
ALWAYS(VBuilderConfig, setDeviceType, 13, 11, void,
	(, const void *layer, int32_t type), (, layer, type))
ALWAYS(VBuilderConfig, setDLACore, 18, 16, void, (, int32_t core), (, core))
ALWAYS(VBuilderConfig, setDefaultDeviceType, 20, 18, void, (, int32_t type), (, type))
ALWAYS(VBuilderConfig, addOptimizationProfile, 25, 23, int32_t,
	(, const void *profile), (, profile))
ALWAYS(VBuilderConfig, setProfilingVerbosity, 27, 25, void, (, int32_t verbosity), (, verbosity))
ALWAYS(VBuilderConfig, setTacticSources, 38, 27, bool, (, uint32_t sources), (, sources))
ALWAYS(VBuilderConfig, createTimingCache, 40, 29, void *,
	(, const void *blob, size_t size), (, blob, size))
ALWAYS(VBuilderConfig, setTimingCache, 41, 30, bool,
	(, const void *cache, bool ignoreMismatch), (, cache, ignoreMismatch))
ALWAYS(VBuilderConfig, setMemoryPoolLimit, 43, 32, void,
	(, int32_t pool, size_t bytes), (, pool, bytes))
ALWAYS(VBuilderConfig, getMemoryPoolLimit, 44, 33, size_t, (, int32_t pool), (, pool))
VARIES(VBuilderConfig, setCalibrationProfile, 0, 31, -1, bool,
	(, const void *profile),
	(, profile))
VARIES(VBuilderConfig, setQuantizationFlags, 0, 33, -1, void, (, uint32_t flags), (, flags))
VARIES(VBuilderConfig, setAlgorithmSelector, 0, 29, -1, void, (, void *selector), (, selector))
ALWAYS(VBuilderConfig, setPreviewFeature, 45, 34, void,
	(, int32_t feature, bool on), (, feature, on))
ALWAYS(VBuilderConfig, setBuilderOptimizationLevel, 47, 36, void, (, int32_t level), (, level))
ALWAYS(VBuilderConfig, setHardwareCompatibilityLevel, 49, 38, void, (, int32_t level), (, level))
ALWAYS(VBuilderConfig, setPluginsToSerialize, 51, 40, void,
	(, const char *const *paths, int32_t n), (, paths, n))
ALWAYS(VBuilderConfig, setMaxAuxStreams, 54, 43, void, (, int32_t n), (, n))
ALWAYS(VBuilderConfig, setProgressMonitor, 56, 45, void, (, void *monitor), (, monitor))
VARIES(VBuilderConfig, setRuntimePlatform, 2, 58, 47, void, (, int32_t platform), (, platform))
VARIES(VBuilderConfig, setTilingOptimizationLevel, 9, 62, 51, bool, (, int32_t level), (, level))

VARIES(VAlgorithmContext, getName, 0, 2, -1, const char *, (), ())
VARIES(VAlgorithmContext, getNbInputs, 0, 4, -1, int32_t, (), ())
VARIES(VAlgorithmContext, getNbOutputs, 0, 5, -1, int32_t, (), ())
VARIES(VAlgorithm, getAlgorithmVariant, 0, 2, -1, void *, (), ())
VARIES(VAlgorithm, getAlgorithmIOInfoByIndex, 0, 5, -1, void *, (, int32_t index), (, index))
VARIES(VAlgorithmVariant, getImplementation, 0, 2, -1, int64_t, (), ())
VARIES(VAlgorithmVariant, getTactic, 0, 3, -1, int64_t, (), ())
VARIES(VAlgorithmIOInfo, getDataType, 0, 2, -1, int32_t, (), ())
VARIES(VAlgorithmIOInfo, getStrides, 0, 3, -1, trt_dims, (), ())
VARIES(VAlgorithmIOInfo, getVectorizedDim, 0, 4, -1, int64_t, (), ())
VARIES(VAlgorithmIOInfo, getComponentsPerElement, 0, 5, -1, int64_t, (), ())

ALWAYS(VBuilder, getNbDLACores, 5, 3, int32_t, (), ())
ALWAYS(VBuilder, createBuilderConfig, 7, 5, void *, (), ())
ALWAYS(VBuilder, createNetworkV2, 8, 6, void *, (, uint32_t flags), (, flags))
ALWAYS(VBuilder, createOptimizationProfile, 9, 7, void *, (), ())
ALWAYS(VBuilder, buildSerializedNetwork, 14, 11, void *,
	(, void *network, void *config), (, network, config))
ALWAYS(VBuilder, getPluginRegistry, 19, 16, void *, (), ())

ALWAYS(IParser, parse, 0, 0, bool,
	(, const void *model, size_t size, const char *path), (, model, size, path))
ALWAYS(IParser, getNbErrors, 5, 3, int32_t, (), ())
ALWAYS(IParser, getError, 6, 4, const void *, (, int32_t index), (, index))
ALWAYS(IParser, deleteSelf, 9, 7, void, (), ())
ALWAYS(IParser, getUsedVCPluginLibraries, 10, 8, const char *const *, (, int64_t *n), (, n))
ALWAYS(IParser, clearFlag, 13, 11, void, (, int32_t flag), (, flag))
ALWAYS(IParser, setFlag, 14, 12, void, (, int32_t flag), (, flag))
VARIES(IParser, supportsModelV2, 1, 17, 15, bool,
	(, const void *model, size_t size, const char *path), (, model, size, path))
VARIES(IParser, getNbSubgraphs, 1, 18, 16, int64_t, (), ())
VARIES(IParser, isSubgraphSupported, 1, 19, 17, bool, (, int64_t index), (, index))
VARIES(IParser, getSubgraphNodes, 1, 20, 18, const int64_t *,
	(, int64_t index, int64_t *n), (, index, n))

ALWAYS(IParserError, desc, 1, 1, const char *, (), ())
ALWAYS(IParserError, node, 5, 5, int32_t, (), ())
ALWAYS(IParserError, nodeName, 6, 6, const char *, (), ())
ALWAYS(IParserError, nodeOperator, 7, 7, const char *, (), ())
ALWAYS(IParserError, localFunctionStack, 8, 8, const char *const *, (), ())
ALWAYS(IParserError, localFunctionStackSize, 9, 9, int32_t, (), ())

ALWAYS(IParserRefitter, refitFromBytes, 0, 0, bool,
	(, const void *model, size_t size, const char *path), (, model, size, path))
ALWAYS(IParserRefitter, getNbErrors, 2, 2, int32_t, (), ())
ALWAYS(IParserRefitter, getError, 3, 3, const void *, (, int32_t index), (, index))
ALWAYS(IParserRefitter, deleteSelf, 6, 6, void, (), ())

ALWAYS(IPluginRegistry, loadLibrary, 10, 6, void *, (, const char *path), (, path))
