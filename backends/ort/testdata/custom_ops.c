// A library of custom operators for ONNX Runtime: doubling:Double, which doubles float32. It declares
// what it needs of the C API by itself, so that no SDK is needed to build it:
//
//	cc -shared -fPIC -o libdoubling.so custom_ops.c
#include <stddef.h>
#include <stdint.h>

enum { api_version = 12, float32 = 1 };

// Places in the function table (OrtApi).
enum {
	get_tensor_mutable_data = 51,
	get_dimensions_count = 61,
	get_dimensions = 62,
	get_tensor_shape_element_count = 64,
	get_tensor_type_and_shape = 65,
	release_tensor_type_and_shape_info = 99,
	create_custom_op_domain = 26,
	custom_op_domain_add = 27,
	add_custom_op_domain = 28,
	kernel_context_get_input = 90,
	kernel_context_get_output = 91,
};

typedef void *const *table;
typedef void *status;

struct base { // OrtApiBase
	table (*get_api)(uint32_t version);
	const char *(*get_version)(void);
};

struct op { // OrtCustomOp, as far as version 12 has it
	uint32_t version;
	void *(*create_kernel)(const struct op *, table, const void *);
	const char *(*name)(const struct op *);
	const char *(*provider)(const struct op *);
	int (*input_type)(const struct op *, size_t);
	size_t (*inputs)(const struct op *);
	int (*output_type)(const struct op *, size_t);
	size_t (*outputs)(const struct op *);
	void (*compute)(void *, void *);
	void (*destroy_kernel)(void *);
	int (*input_kind)(const struct op *, size_t);
	int (*output_kind)(const struct op *, size_t);
};

static table api;

#define CALL(place, result, parameters) ((result (*) parameters)api[place])

static void *create_kernel(const struct op *op, table a, const void *info) {
	(void)a, (void)info;
	return (void *)op;
}

static const char *name(const struct op *op) { return (void)op, "Double"; }
static const char *provider(const struct op *op) { return (void)op, NULL; }
static int type(const struct op *op, size_t i) { return (void)op, (void)i, float32; }
static size_t one(const struct op *op) { return (void)op, 1; }
static int required(const struct op *op, size_t i) { return (void)op, (void)i, 0; }
static void destroy_kernel(void *kernel) { (void)kernel; }

static void compute(void *kernel, void *context) {
	(void)kernel;
	void *in = NULL, *out = NULL, *info = NULL;
	float *from = NULL, *to = NULL;
	size_t rank = 0, count = 0;
	int64_t shape[16];
	CALL(kernel_context_get_input, status, (void *, size_t, void **))(context, 0, &in);
	CALL(get_tensor_type_and_shape, status, (void *, void **))(in, &info);
	CALL(get_dimensions_count, status, (void *, size_t *))(info, &rank);
	CALL(get_dimensions, status, (void *, int64_t *, size_t))(info, shape, rank);
	CALL(get_tensor_shape_element_count, status, (void *, size_t *))(info, &count);
	CALL(release_tensor_type_and_shape_info, void, (void *))(info);
	CALL(kernel_context_get_output, status, (void *, size_t, const int64_t *, size_t, void **))(
		context, 0, shape, rank, &out);
	CALL(get_tensor_mutable_data, status, (void *, void **))(in, (void **)&from);
	CALL(get_tensor_mutable_data, status, (void *, void **))(out, (void **)&to);
	for (size_t i = 0; i < count; i++)
		to[i] = 2 * from[i];
}

static const struct op twice = {api_version, create_kernel, name, provider, type, one, type, one,
	compute, destroy_kernel, required, required};

static void *domain;

status RegisterCustomOps(void *options, const struct base *base);

status RegisterCustomOps(void *options, const struct base *base) {
	status wrong = NULL;
	api = base->get_api(api_version);
	if (!domain) {
		wrong = CALL(create_custom_op_domain, status, (const char *, void **))("doubling", &domain);
		if (!wrong)
			wrong = CALL(custom_op_domain_add, status, (void *, const struct op *))(domain, &twice);
	}
	if (wrong)
		return wrong;
	return CALL(add_custom_op_domain, status, (void *, void *))(options, domain);
}
