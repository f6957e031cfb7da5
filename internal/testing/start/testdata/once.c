// once LIBRARY MODEL DIMS...: opens ONNX Runtime and a session, and runs it once on zeros. The
// model's input is x, its output y. The numbers are places in the C API's table of functions.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *status;
typedef void *const *table;

enum { GetErrorMessage = 2, CreateEnv = 3, CreateSession = 7, Run = 9, CreateSessionOptions = 10,
	CreateTensorWithDataAsOrtValue = 49, CreateCpuMemoryInfo = 69 };
enum { fatal = 4, arena = 1, ordinary = 0, float32 = 1, version = 24 };

static table api;
#define CALL(name, parameters) ((status(*) parameters)api[name])

static void check(status s) {
	if (s) {
		fprintf(stderr, "%s\n", ((const char *(*)(void *))api[GetErrorMessage])(s));
		exit(1);
	}
}

int main(int argc, char **argv) {
	void *library = dlopen(argv[1], RTLD_LAZY);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	struct base { table (*get)(uint32_t); };
	struct base *(*base)(void) = (struct base *(*)(void))dlsym(library, "OrtGetApiBase");
	api = base()->get(version);
	setenv("ORT_DISABLE_TELEMETRY", "1", 0);

	void *env, *options, *session, *memory, *in, *out = NULL;
	check(CALL(CreateEnv, (int, const char *, void **))(fatal, "once", &env));
	check(CALL(CreateSessionOptions, (void **))(&options));
	check(CALL(CreateSession, (void *, const char *, void *, void **))(
		env, argv[2], options, &session));

	int64_t shape[8], elements = 1;
	size_t rank = (size_t)(argc - 3);
	if (rank > 8)
		return 1;
	for (size_t i = 0; i < rank; i++)
		elements *= shape[i] = atoll(argv[3 + i]);
	size_t bytes = (size_t)elements * sizeof(float);
	float *data = calloc(1, bytes);
	check(CALL(CreateCpuMemoryInfo, (int, int, void **))(arena, ordinary, &memory));
	check(CALL(CreateTensorWithDataAsOrtValue,
		(void *, void *, size_t, int64_t *, size_t, int, void **))(
		memory, data, bytes, shape, rank, float32, &in));
	const char *x = "x", *y = "y";
	check(CALL(Run, (void *, void *, const char **, void **, size_t, const char **, size_t,
		void **))(session, NULL, &x, &in, 1, &y, 1, &out));
	return out == NULL;
}
