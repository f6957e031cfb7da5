// The entries of ONNX Runtime's C function table (OrtApi) that the binding does not reach, called
// by their place in the table. The table only ever grows at its end, so the places hold for every
// version of the library. abi_test.go holds each of them to the binding's copy of the C header.
#ifndef MODELPARITY_ONNXRUNTIME_ABI_H
#define MODELPARITY_ONNXRUNTIME_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
	mp_slot_GetErrorMessage = 2,
	mp_slot_CreateEnv = 3,
	mp_slot_Run = 9,
	mp_slot_CreateRunOptions = 39,
	mp_slot_RunOptionsSetTerminate = 46,
	mp_slot_CreateTensorAsOrtValue = 48,
	mp_slot_CreateTensorWithDataAsOrtValue = 49,
	mp_slot_GetTensorMutableData = 51,
	mp_slot_GetStringTensorDataLength = 53,
	mp_slot_GetStringTensorContent = 54,
	mp_slot_GetTensorElementType = 60,
	mp_slot_GetDimensionsCount = 61,
	mp_slot_GetDimensions = 62,
	mp_slot_GetTensorTypeAndShape = 65,
	mp_slot_GetValueType = 67,
	mp_slot_CreateCpuMemoryInfo = 69,
	mp_slot_GetAllocatorWithDefaultOptions = 78,
	mp_slot_GetValue = 80,
	mp_slot_GetValueCount = 81,
	mp_slot_CreateValue = 82,
	mp_slot_ReleaseStatus = 93,
	mp_slot_ReleaseMemoryInfo = 94,
	mp_slot_ReleaseValue = 96,
	mp_slot_ReleaseRunOptions = 97,
	mp_slot_ReleaseTensorTypeAndShapeInfo = 99,
	mp_slot_GetAvailableProviders = 125,
	mp_slot_ReleaseAvailableProviders = 126,
	mp_slot_HasValue = 192,
	mp_slot_RegisterCustomOpsLibrary_V2 = 228,
	mp_slot_GetResizedStringTensorElementBuffer = 252,
	mp_slot_SetUserLoggingFunction = 266,
	mp_slot_GetKeyValue = 297,
	mp_slot_RegisterExecutionProviderLibrary = 301,
	mp_slot_GetEpDevices = 303,
	mp_slot_SessionOptionsAppendExecutionProvider_V2 = 304,
	mp_slot_HardwareDevice_Type = 307,
	mp_slot_HardwareDevice_Vendor = 309,
	mp_slot_EpDevice_EpName = 312,
	mp_slot_EpDevice_EpMetadata = 314,
	mp_slot_EpDevice_Device = 316,
	mp_slot_Session_GetEpGraphAssignmentInfo = 407,
	mp_slot_EpAssignedSubgraph_GetEpName = 408,
	mp_slot_EpAssignedSubgraph_GetNodes = 409,
	mp_slot_EpAssignedNode_GetName = 410,
	mp_slot_EpAssignedNode_GetDomain = 411,
	mp_slot_EpAssignedNode_GetOperatorType = 412,
};

// mp_api is the function table. Every mp_ function that returns mp_status gives NULL for success;
// otherwise the status is the caller's to free.
typedef void *const *mp_api;
typedef void *mp_status;

// mp_base finds OrtApiBase in an opened library, and NULL if it has none.
void *mp_base(void *library);
const char *mp_version(void *base);
mp_api mp_table(void *base, uint32_t version);

const char *mp_error_message(mp_api api, mp_status status);

// mp_release_* free what the library made.
void mp_release_status(mp_api api, mp_status status);
void mp_release_value(mp_api api, void *value);
void mp_release_run_options(mp_api api, void *options);
void mp_release_memory_info(mp_api api, void *info);

mp_status mp_allocator(mp_api api, void **allocator);
mp_status mp_cpu_memory(mp_api api, void **info);
mp_status mp_providers(mp_api api, char ***names, int *count);
void mp_release_providers(mp_api api, char **names, int count);

// mp_custom_ops adds a library of custom operators to the options of a session, and mp_log sends
// the session's log to the Go log of that handle.
mp_status mp_custom_ops(mp_api api, void *options, const char *path);
mp_status mp_log(mp_api api, void *options, uintptr_t log);

// mp_environment returns the environment of the process, which must exist already. mp_register
// loads a plug-in library into it; mp_devices lists the devices of all providers, which the
// environment owns; mp_append adds a device's provider to the options of a session.
mp_status mp_environment(mp_api api, void **environment);
mp_status mp_register(mp_api api, void *environment, const char *path);
mp_status mp_devices(mp_api api, void *environment, void *const **devices, size_t *count);
void mp_device(mp_api api, void *device, const char **provider, const char **version,
	const char **vendor, int *kind);
mp_status mp_append(mp_api api, void *options, void *environment, void *device, char **keys,
	char **values, size_t count);

// mp_trim gives memory back to the system that the C library keeps: glibc keeps what ONNX Runtime
// freed of a large model, and the next session then asks for more.
void mp_trim(void);

mp_status mp_run_options(mp_api api, void **options);
mp_status mp_terminate(mp_api api, void *options);
mp_status mp_run(mp_api api, void *session, void *options, char **input_names, void **inputs,
	size_t input_count, char **output_names, size_t output_count, void **outputs);

// mp_tensor wraps data, which stays the caller's; mp_strings makes a tensor of empty strings.
mp_status mp_tensor(mp_api api, void *info, void *data, size_t size, int64_t *shape, size_t rank,
	int32_t type, void **value);
mp_status mp_strings(mp_api api, void *allocator, int64_t *shape, size_t rank, void **value);
mp_status mp_string_buffer(mp_api api, void *value, size_t index, size_t size, char **buffer);
mp_status mp_collect(mp_api api, void **items, size_t count, int kind, void **value);

// mp_describe tells a value's kind, which is 0 for an optional without a value, and how many
// items it has if it is a sequence or a map.
mp_status mp_describe(mp_api api, void *value, int *kind, size_t *items);
mp_status mp_item(mp_api api, void *allocator, void *value, int index, void **item);

// mp_rank tells a tensor's element type and rank, mp_shape its shape, into rank places.
mp_status mp_rank(mp_api api, void *value, int32_t *type, size_t *rank);
mp_status mp_shape(mp_api api, void *value, int64_t *shape, size_t rank);
mp_status mp_data(mp_api api, void *value, void **data);
mp_status mp_strings_size(mp_api api, void *value, size_t *bytes);
mp_status mp_strings_read(mp_api api, void *value, void *bytes, size_t size, size_t *offsets,
	size_t count);

// mp_assignment lists the parts of a session's graph, of which mp_part tells the provider that took
// it and its nodes. All of it is the session's.
mp_status mp_assignment(mp_api api, void *session, void *const **parts, size_t *count);
mp_status mp_part(mp_api api, void *part, const char **provider, void *const **nodes,
	size_t *count);
mp_status mp_node(mp_api api, void *node, const char **name, const char **domain,
	const char **operator_type);

#endif
