//go:build cgo && (linux || darwin)

#include "abi.h"

#include <dlfcn.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// CALL is entry NAME of the table, as a function of the given result and parameters.
#define CALL(name, result, parameters) ((result (*) parameters)api[mp_slot_##name])

struct base { // OrtApiBase
	mp_api (*get_api)(uint32_t version);
	const char *(*get_version)(void);
};

void *mp_base(void *library) {
	void *(*get)(void) = (void *(*)(void))dlsym(library, "OrtGetApiBase");
	return get ? get() : NULL;
}

const char *mp_version(void *base) { return ((struct base *)base)->get_version(); }

mp_api mp_table(void *base, uint32_t version) { return ((struct base *)base)->get_api(version); }

const char *mp_error_message(mp_api api, mp_status status) {
	return CALL(GetErrorMessage, const char *, (void *))(status);
}

void mp_release_status(mp_api api, mp_status status) {
	CALL(ReleaseStatus, void, (void *))(status);
}

void mp_release_value(mp_api api, void *value) { CALL(ReleaseValue, void, (void *))(value); }

void mp_release_run_options(mp_api api, void *options) {
	CALL(ReleaseRunOptions, void, (void *))(options);
}

void mp_release_memory_info(mp_api api, void *info) {
	CALL(ReleaseMemoryInfo, void, (void *))(info);
}

mp_status mp_allocator(mp_api api, void **allocator) {
	return CALL(GetAllocatorWithDefaultOptions, mp_status, (void **))(allocator);
}

mp_status mp_cpu_memory(mp_api api, void **info) {
	enum { arena_allocator = 1, memory_default = 0 };
	return CALL(CreateCpuMemoryInfo, mp_status, (int, int, void **))(
		arena_allocator, memory_default, info);
}

mp_status mp_providers(mp_api api, char ***names, int *count) {
	return CALL(GetAvailableProviders, mp_status, (char ***, int *))(names, count);
}

void mp_release_providers(mp_api api, char **names, int count) {
	mp_status status = CALL(ReleaseAvailableProviders, mp_status, (char **, int))(names, count);
	if (status)
		mp_release_status(api, status);
}

mp_status mp_custom_ops(mp_api api, void *options, const char *path) {
	return CALL(RegisterCustomOpsLibrary_V2, mp_status, (void *, const char *))(options, path);
}

// ortLogged is in log.go.
extern void ortLogged(uintptr_t log, int severity, char *message);

static void logged(void *log, int severity, const char *category, const char *id,
	const char *place, const char *message) {
	(void)category, (void)id, (void)place;
	ortLogged((uintptr_t)log, severity, (char *)message);
}

mp_status mp_log(mp_api api, void *options, uintptr_t log) {
	return CALL(SetUserLoggingFunction, mp_status,
		(void *, void (*)(void *, int, const char *, const char *, const char *, const char *),
		void *))(options, logged, (void *)log);
}

mp_status mp_environment(mp_api api, void **environment) {
	enum { fatal = 4 };
	return CALL(CreateEnv, mp_status, (int, const char *, void **))(fatal, "", environment);
}

mp_status mp_register(mp_api api, void *environment, const char *path) {
	return CALL(RegisterExecutionProviderLibrary, mp_status,
		(void *, const char *, const char *))(environment, path, path);
}

mp_status mp_devices(mp_api api, void *environment, void *const **devices, size_t *count) {
	return CALL(GetEpDevices, mp_status, (void *, void *const **, size_t *))(
		environment, devices, count);
}

void mp_device(mp_api api, void *device, const char **provider, const char **version,
	const char **vendor, int *kind) {
	void *hardware = CALL(EpDevice_Device, void *, (void *))(device);
	*provider = CALL(EpDevice_EpName, const char *, (void *))(device);
	*version = CALL(GetKeyValue, const char *, (void *, const char *))(
		CALL(EpDevice_EpMetadata, void *, (void *))(device), "version");
	*vendor = CALL(HardwareDevice_Vendor, const char *, (void *))(hardware);
	*kind = CALL(HardwareDevice_Type, int, (void *))(hardware);
}

mp_status mp_append(mp_api api, void *options, void *environment, void *device, char **keys,
	char **values, size_t count) {
	return CALL(SessionOptionsAppendExecutionProvider_V2, mp_status,
		(void *, void *, void **, size_t, char **, char **, size_t))(
		options, environment, &device, 1, keys, values, count);
}

void mp_trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

mp_status mp_run_options(mp_api api, void **options) {
	return CALL(CreateRunOptions, mp_status, (void **))(options);
}

mp_status mp_terminate(mp_api api, void *options) {
	return CALL(RunOptionsSetTerminate, mp_status, (void *))(options);
}

mp_status mp_run(mp_api api, void *session, void *options, char **input_names, void **inputs,
	size_t input_count, char **output_names, size_t output_count, void **outputs) {
	return CALL(Run, mp_status,
		(void *, void *, char **, void **, size_t, char **, size_t, void **))(session, options,
		input_names, inputs, input_count, output_names, output_count, outputs);
}

mp_status mp_tensor(mp_api api, void *info, void *data, size_t size, int64_t *shape, size_t rank,
	int32_t type, void **value) {
	static char nothing; // an empty tensor has no data, and the library refuses NULL
	return CALL(CreateTensorWithDataAsOrtValue, mp_status,
		(void *, void *, size_t, int64_t *, size_t, int32_t, void **))(info,
		data ? data : &nothing, size, shape, rank, type, value);
}

mp_status mp_strings(mp_api api, void *allocator, int64_t *shape, size_t rank, void **value) {
	enum { element_string = 8 };
	return CALL(CreateTensorAsOrtValue, mp_status,
		(void *, int64_t *, size_t, int32_t, void **))(
		allocator, shape, rank, element_string, value);
}

mp_status mp_string_buffer(mp_api api, void *value, size_t index, size_t size, char **buffer) {
	return CALL(GetResizedStringTensorElementBuffer, mp_status,
		(void *, size_t, size_t, char **))(value, index, size, buffer);
}

mp_status mp_collect(mp_api api, void **items, size_t count, int kind, void **value) {
	return CALL(CreateValue, mp_status, (void **, size_t, int, void **))(
		items, count, kind, value);
}

mp_status mp_describe(mp_api api, void *value, int *kind, size_t *items) {
	enum { none = 0, sequence = 2, map = 3 };
	int has = 0;
	mp_status status = CALL(HasValue, mp_status, (void *, int *))(value, &has);
	*kind = none;
	if (status || !has)
		return status;
	status = CALL(GetValueType, mp_status, (void *, int *))(value, kind);
	if (status || (*kind != sequence && *kind != map))
		return status;
	return CALL(GetValueCount, mp_status, (void *, size_t *))(value, items);
}

mp_status mp_item(mp_api api, void *allocator, void *value, int index, void **item) {
	return CALL(GetValue, mp_status, (void *, int, void *, void **))(
		value, index, allocator, item);
}

mp_status mp_rank(mp_api api, void *value, int32_t *type, size_t *rank) {
	void *info = NULL;
	mp_status status = CALL(GetTensorTypeAndShape, mp_status, (void *, void **))(value, &info);
	if (!status)
		status = CALL(GetTensorElementType, mp_status, (void *, int32_t *))(info, type);
	if (!status)
		status = CALL(GetDimensionsCount, mp_status, (void *, size_t *))(info, rank);
	CALL(ReleaseTensorTypeAndShapeInfo, void, (void *))(info);
	return status;
}

mp_status mp_shape(mp_api api, void *value, int64_t *shape, size_t rank) {
	void *info = NULL;
	mp_status status = CALL(GetTensorTypeAndShape, mp_status, (void *, void **))(value, &info);
	if (!status)
		status = CALL(GetDimensions, mp_status, (void *, int64_t *, size_t))(info, shape, rank);
	CALL(ReleaseTensorTypeAndShapeInfo, void, (void *))(info);
	return status;
}

mp_status mp_data(mp_api api, void *value, void **data) {
	return CALL(GetTensorMutableData, mp_status, (void *, void **))(value, data);
}

mp_status mp_strings_size(mp_api api, void *value, size_t *bytes) {
	return CALL(GetStringTensorDataLength, mp_status, (void *, size_t *))(value, bytes);
}

mp_status mp_strings_read(mp_api api, void *value, void *bytes, size_t size, size_t *offsets,
	size_t count) {
	return CALL(GetStringTensorContent, mp_status,
		(void *, void *, size_t, size_t *, size_t))(value, bytes, size, offsets, count);
}

mp_status mp_assignment(mp_api api, void *session, void *const **parts, size_t *count) {
	return CALL(Session_GetEpGraphAssignmentInfo, mp_status,
		(void *, void *const **, size_t *))(session, parts, count);
}

mp_status mp_part(mp_api api, void *part, const char **provider, void *const **nodes,
	size_t *count) {
	mp_status status = CALL(EpAssignedSubgraph_GetEpName, mp_status,
		(void *, const char **))(part, provider);
	if (status)
		return status;
	return CALL(EpAssignedSubgraph_GetNodes, mp_status,
		(void *, void *const **, size_t *))(part, nodes, count);
}

mp_status mp_node(mp_api api, void *node, const char **name, const char **domain,
	const char **operator_type) {
	mp_status status = CALL(EpAssignedNode_GetName, mp_status, (void *, const char **))(node, name);
	if (!status)
		status = CALL(EpAssignedNode_GetDomain, mp_status, (void *, const char **))(node, domain);
	if (!status)
		status = CALL(EpAssignedNode_GetOperatorType, mp_status, (void *, const char **))(
			node, operator_type);
	return status;
}
