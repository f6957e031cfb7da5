//go:build cgo && (linux || darwin)

#include "abi.h"

#include <dlfcn.h>
#include <string.h>

enum { invalid_parameter = -14 };

char *mo_open(mo_api *api, const char *path, const char **missing) {
	memset(api, 0, sizeof *api);
	*missing = NULL;
	api->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!api->library) {
		const char *text = dlerror();
		return strdup(text ? text : "not loaded");
	}
#define MO_FIND(result, name, parameters) \
	if (!(api->name = (result (*) parameters)dlsym(api->library, #name))) \
		*missing = #name;
	MO_FUNCTIONS(MO_FIND)
#undef MO_FIND
	if (*missing)
		mo_close(api);
	return NULL;
}

void mo_close(mo_api *api) {
	dlclose(api->library);
	api->library = NULL;
}

const char *mo_message(mo_api *api, ov_status_e status) {
	// The API refuses a parameter before it tries anything, and leaves an older message behind.
	return status == invalid_parameter ? NULL : api->ov_get_last_err_msg();
}

void mo_free_text(mo_api *api, const char *text) { api->ov_free(text); }

ov_status_e mo_version(mo_api *api, const char **version) {
	ov_version_t v = {NULL, NULL};
	ov_status_e status = api->ov_get_openvino_version(&v);
	*version = v.buildNumber; // handed out, and freed by itself
	v.buildNumber = NULL;
	api->ov_version_free(&v);
	return status;
}

ov_status_e mo_core(mo_api *api, ov_core_t **core) { return api->ov_core_create(core); }

ov_status_e mo_read_file(mo_api *api, ov_core_t *core, const char *path, const char *weights,
	ov_model_t **model) {
	return api->ov_core_read_model(core, path, weights, model);
}

ov_status_e mo_read_memory(mo_api *api, ov_core_t *core, const char *data, size_t size,
	ov_tensor_t *weights, ov_model_t **model) {
	return api->ov_core_read_model_from_memory_buffer(core, data, size, weights, model);
}

ov_status_e mo_compile(mo_api *api, ov_core_t *core, ov_model_t *model, const char *device,
	size_t count, ov_property_t *properties, ov_compiled_model_t **compiled) {
	return api->ov_core_compile_model_props(core, model, device, count, properties, compiled);
}

void mo_free_model(mo_api *api, ov_model_t *model) { api->ov_model_free(model); }

ov_status_e mo_counts(mo_api *api, ov_model_t *model, size_t *inputs, size_t *outputs) {
	ov_status_e status = api->ov_model_inputs_size(model, inputs);
	return status ? status : api->ov_model_outputs_size(model, outputs);
}

ov_status_e mo_port(mo_api *api, ov_model_t *model, int output, size_t index, const char *name,
	ov_output_const_port_t **port) {
	if (name)
		return api->ov_model_const_input_by_name(model, name, port);
	if (output)
		return api->ov_model_const_output_by_index(model, index, port);
	return api->ov_model_const_input_by_index(model, index, port);
}

ov_status_e mo_port_name(mo_api *api, ov_output_const_port_t *port, char **name) {
	return api->ov_port_get_any_name(port, name);
}

ov_status_e mo_port_type(mo_api *api, ov_output_const_port_t *port, ov_element_type_e *type,
	ov_partial_shape_t *shape) {
	ov_status_e status = api->ov_port_get_element_type(port, type);
	return status ? status : api->ov_port_get_partial_shape(port, shape);
}

void mo_free_port(mo_api *api, ov_output_const_port_t *port) {
	api->ov_output_const_port_free(port);
}

void mo_free_partial_shape(mo_api *api, ov_partial_shape_t *shape) {
	api->ov_partial_shape_free(shape);
}

ov_status_e mo_reshape(mo_api *api, ov_model_t *model, size_t *inputs,
	ov_partial_shape_t *shapes, size_t count) {
	return api->ov_model_reshape_by_port_indexes(model, inputs, shapes, count);
}

ov_status_e mo_compiled_property(mo_api *api, ov_compiled_model_t *compiled, const char *key,
	char **value) {
	return api->ov_compiled_model_get_property(compiled, key, value);
}

ov_status_e mo_request(mo_api *api, ov_compiled_model_t *compiled, ov_infer_request_t **request) {
	return api->ov_compiled_model_create_infer_request(compiled, request);
}

ov_status_e mo_kernels(mo_api *api, ov_infer_request_t *request, ov_profiling_info_list_t *list) {
	return api->ov_infer_request_get_profiling_info(request, list);
}

void mo_free_kernels(mo_api *api, ov_profiling_info_list_t *list) {
	api->ov_profiling_info_list_free(list);
}

void mo_free_compiled(mo_api *api, ov_compiled_model_t *compiled) {
	api->ov_compiled_model_free(compiled);
}

ov_status_e mo_set(mo_api *api, ov_infer_request_t *request, size_t input, ov_tensor_t *tensor) {
	return api->ov_infer_request_set_input_tensor_by_index(request, input, tensor);
}

ov_status_e mo_get(mo_api *api, ov_infer_request_t *request, size_t output,
	ov_tensor_t **tensor) {
	return api->ov_infer_request_get_output_tensor_by_index(request, output, tensor);
}

ov_status_e mo_infer(mo_api *api, ov_infer_request_t *request) {
	ov_status_e status = api->ov_infer_request_start_async(request);
	return status ? status : api->ov_infer_request_wait(request);
}

ov_status_e mo_cancel(mo_api *api, ov_infer_request_t *request) {
	return api->ov_infer_request_cancel(request);
}

void mo_free_request(mo_api *api, ov_infer_request_t *request) {
	api->ov_infer_request_free(request);
}

ov_status_e mo_tensor(mo_api *api, ov_element_type_e type, int64_t rank, int64_t *dims,
	ov_tensor_t **tensor, void **data, size_t *size) {
	ov_shape_t shape = {rank, dims};
	ov_status_e status = api->ov_tensor_create(type, shape, tensor);
	return status ? status : mo_tensor_data(api, *tensor, data, size);
}

ov_status_e mo_tensor_type(mo_api *api, ov_tensor_t *tensor, ov_element_type_e *type,
	ov_shape_t *shape) {
	ov_status_e status = api->ov_tensor_get_element_type(tensor, type);
	if (status)
		return status;
	*shape = (ov_shape_t){0, NULL};
	status = api->ov_tensor_get_shape(tensor, shape);
	// With these parameters this status has one reason: the API makes no shape of rank 0.
	if (status == invalid_parameter)
		*shape = (ov_shape_t){0, NULL};
	return status == invalid_parameter ? 0 : status;
}

ov_status_e mo_tensor_data(mo_api *api, ov_tensor_t *tensor, void **data, size_t *size) {
	ov_status_e status = api->ov_tensor_get_byte_size(tensor, size);
	if (status || *size == 0) // an empty tensor may be without a buffer, which is an error
		return status;
	return api->ov_tensor_data(tensor, data);
}

void mo_free_shape(mo_api *api, ov_shape_t *shape) {
	if (shape->dims) // freeing nothing is an error to the API
		api->ov_shape_free(shape);
}

void mo_free_tensor(mo_api *api, ov_tensor_t *tensor) { api->ov_tensor_free(tensor); }
