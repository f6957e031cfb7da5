// The part of OpenVINO's C API that is called, under the API's own names. abi_test.go holds every
// declaration to the headers of the openvino wheel.
#ifndef MODELPARITY_OPENVINO_ABI_H
#define MODELPARITY_OPENVINO_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int ov_status_e;
typedef int ov_element_type_e;
typedef struct ov_core ov_core_t;
typedef struct ov_model ov_model_t;
typedef struct ov_compiled_model ov_compiled_model_t;
typedef struct ov_infer_request ov_infer_request_t;
typedef struct ov_output_const_port ov_output_const_port_t;
typedef struct ov_tensor ov_tensor_t;

typedef struct {
	int64_t rank;
	int64_t *dims;
} ov_shape_t;

typedef struct {
	int64_t min, max; // both inclusive; max -1 is without limit
} ov_dimension_t;

typedef struct {
	ov_dimension_t rank;
	ov_dimension_t *dims;
} ov_partial_shape_t;

typedef struct {
	const char *buildNumber, *description;
} ov_version_t;

typedef struct {
	const char *key;
	const void *value;
} ov_property_t;

typedef struct {
	int status;
	int64_t real_time, cpu_time;
	const char *node_name, *exec_type, *node_type;
} ov_profiling_info_t;

typedef struct {
	ov_profiling_info_t *profiling_infos;
	size_t size;
} ov_profiling_info_list_t;

// MO_FUNCTIONS is every function that is called: its result, its name and its parameters.
#define MO_FUNCTIONS(F) \
	F(const char *, ov_get_last_err_msg, ()) \
	F(const char *, ov_get_error_info, (ov_status_e)) \
	F(void, ov_free, (const char *)) \
	F(ov_status_e, ov_get_openvino_version, (ov_version_t *)) \
	F(void, ov_version_free, (ov_version_t *)) \
	F(ov_status_e, ov_core_create, (ov_core_t **)) \
	F(ov_status_e, ov_core_read_model, \
		(const ov_core_t *, const char *, const char *, ov_model_t **)) \
	F(ov_status_e, ov_core_read_model_from_memory_buffer, \
		(const ov_core_t *, const char *, const size_t, const ov_tensor_t *, ov_model_t **)) \
	F(ov_status_e, ov_core_compile_model_props, \
		(const ov_core_t *, const ov_model_t *, const char *, const size_t, \
			const ov_property_t *, ov_compiled_model_t **)) \
	F(void, ov_model_free, (ov_model_t *)) \
	F(ov_status_e, ov_model_inputs_size, (const ov_model_t *, size_t *)) \
	F(ov_status_e, ov_model_outputs_size, (const ov_model_t *, size_t *)) \
	F(ov_status_e, ov_model_const_input_by_index, \
		(const ov_model_t *, const size_t, ov_output_const_port_t **)) \
	F(ov_status_e, ov_model_const_output_by_index, \
		(const ov_model_t *, const size_t, ov_output_const_port_t **)) \
	F(ov_status_e, ov_model_const_input_by_name, \
		(const ov_model_t *, const char *, ov_output_const_port_t **)) \
	F(ov_status_e, ov_model_reshape_by_port_indexes, \
		(const ov_model_t *, const size_t *, const ov_partial_shape_t *, size_t)) \
	F(ov_status_e, ov_port_get_any_name, (const ov_output_const_port_t *, char **)) \
	F(ov_status_e, ov_port_get_element_type, \
		(const ov_output_const_port_t *, ov_element_type_e *)) \
	F(ov_status_e, ov_port_get_partial_shape, \
		(const ov_output_const_port_t *, ov_partial_shape_t *)) \
	F(void, ov_output_const_port_free, (ov_output_const_port_t *)) \
	F(void, ov_partial_shape_free, (ov_partial_shape_t *)) \
	F(void, ov_compiled_model_free, (ov_compiled_model_t *)) \
	F(ov_status_e, ov_compiled_model_get_property, \
		(const ov_compiled_model_t *, const char *, char **)) \
	F(ov_status_e, ov_compiled_model_create_infer_request, \
		(const ov_compiled_model_t *, ov_infer_request_t **)) \
	F(void, ov_infer_request_free, (ov_infer_request_t *)) \
	F(ov_status_e, ov_infer_request_get_profiling_info, \
		(const ov_infer_request_t *, ov_profiling_info_list_t *)) \
	F(void, ov_profiling_info_list_free, (ov_profiling_info_list_t *)) \
	F(ov_status_e, ov_infer_request_set_input_tensor_by_index, \
		(ov_infer_request_t *, const size_t, const ov_tensor_t *)) \
	F(ov_status_e, ov_infer_request_get_output_tensor_by_index, \
		(const ov_infer_request_t *, const size_t, ov_tensor_t **)) \
	F(ov_status_e, ov_infer_request_start_async, (ov_infer_request_t *)) \
	F(ov_status_e, ov_infer_request_wait, (ov_infer_request_t *)) \
	F(ov_status_e, ov_infer_request_cancel, (ov_infer_request_t *)) \
	F(ov_status_e, ov_tensor_create, \
		(const ov_element_type_e, const ov_shape_t, ov_tensor_t **)) \
	F(void, ov_tensor_free, (ov_tensor_t *)) \
	F(ov_status_e, ov_tensor_get_element_type, (const ov_tensor_t *, ov_element_type_e *)) \
	F(ov_status_e, ov_tensor_get_shape, (const ov_tensor_t *, ov_shape_t *)) \
	F(ov_status_e, ov_tensor_get_byte_size, (const ov_tensor_t *, size_t *)) \
	F(ov_status_e, ov_tensor_data, (const ov_tensor_t *, void **)) \
	F(ov_status_e, ov_shape_free, (ov_shape_t *))

// mo_api is an opened library: its handle, and its functions by name.
typedef struct {
	void *library;
#define MO_MEMBER(result, name, parameters) result (*name) parameters;
	MO_FUNCTIONS(MO_MEMBER)
#undef MO_MEMBER
} mo_api;

// mo_open opens the library at path. It gives NULL, or what the system's loader said, which is the
// caller's to free. A library that lacks a function is closed again, and *missing names it.
char *mo_open(mo_api *api, const char *path, const char **missing);
void mo_close(mo_api *api);

// mo_message is the library's words for a status other than 0, and the caller's to free with
// mo_free_text; NULL if it has none.
const char *mo_message(mo_api *api, ov_status_e status);
void mo_free_text(mo_api *api, const char *text);

// mo_version and the properties give texts that are the caller's to free with mo_free_text.
ov_status_e mo_version(mo_api *api, const char **version);
ov_status_e mo_core(mo_api *api, ov_core_t **core);

ov_status_e mo_read_file(mo_api *api, ov_core_t *core, const char *path, const char *weights,
	ov_model_t **model);
ov_status_e mo_read_memory(mo_api *api, ov_core_t *core, const char *data, size_t size,
	ov_tensor_t *weights, ov_model_t **model);
ov_status_e mo_compile(mo_api *api, ov_core_t *core, ov_model_t *model, const char *device,
	size_t count, ov_property_t *properties, ov_compiled_model_t **compiled);
void mo_free_model(mo_api *api, ov_model_t *model);

// mo_counts tells how many inputs and outputs a model has; mo_port finds one of them by its place,
// or an input by its name if that is not NULL.
ov_status_e mo_counts(mo_api *api, ov_model_t *model, size_t *inputs, size_t *outputs);
ov_status_e mo_port(mo_api *api, ov_model_t *model, int output, size_t index, const char *name,
	ov_output_const_port_t **port);
ov_status_e mo_port_name(mo_api *api, ov_output_const_port_t *port, char **name);
ov_status_e mo_port_type(mo_api *api, ov_output_const_port_t *port, ov_element_type_e *type,
	ov_partial_shape_t *shape);
void mo_free_port(mo_api *api, ov_output_const_port_t *port);
void mo_free_partial_shape(mo_api *api, ov_partial_shape_t *shape);
ov_status_e mo_reshape(mo_api *api, ov_model_t *model, size_t *inputs,
	ov_partial_shape_t *shapes, size_t count);

ov_status_e mo_compiled_property(mo_api *api, ov_compiled_model_t *compiled, const char *key,
	char **value);
ov_status_e mo_request(mo_api *api, ov_compiled_model_t *compiled, ov_infer_request_t **request);
// mo_kernels lists the nodes of a request's model with their kernels, which are known before the
// first inference. The list is the caller's to free with mo_free_kernels.
ov_status_e mo_kernels(mo_api *api, ov_infer_request_t *request, ov_profiling_info_list_t *list);
void mo_free_kernels(mo_api *api, ov_profiling_info_list_t *list);
void mo_free_compiled(mo_api *api, ov_compiled_model_t *compiled);

ov_status_e mo_set(mo_api *api, ov_infer_request_t *request, size_t input, ov_tensor_t *tensor);
ov_status_e mo_get(mo_api *api, ov_infer_request_t *request, size_t output, ov_tensor_t **tensor);
// mo_infer starts the inference on a thread of the library's and waits for it. The call that does
// both on the caller's thread loses every error, and does not listen to mo_cancel, where the model
// has one thread (OpenVINO 2026.4.1).
ov_status_e mo_infer(mo_api *api, ov_infer_request_t *request);
ov_status_e mo_cancel(mo_api *api, ov_infer_request_t *request);
void mo_free_request(mo_api *api, ov_infer_request_t *request);

ov_status_e mo_tensor(mo_api *api, ov_element_type_e type, int64_t rank, int64_t *dims,
	ov_tensor_t **tensor, void **data, size_t *size);
ov_status_e mo_tensor_type(mo_api *api, ov_tensor_t *tensor, ov_element_type_e *type,
	ov_shape_t *shape);
ov_status_e mo_tensor_data(mo_api *api, ov_tensor_t *tensor, void **data, size_t *size);
void mo_free_shape(mo_api *api, ov_shape_t *shape);
void mo_free_tensor(mo_api *api, ov_tensor_t *tensor);

#endif
