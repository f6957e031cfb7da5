// A plug-in execution provider that runs no operator. DEVICES is how many devices it offers, 0 or 1.
#include <onnxruntime_c_api.h>

static const OrtApi *api;

static const char *ep_name(const OrtEp *ep) { return "IdleExecutionProvider"; }

static OrtStatus *capability(OrtEp *ep, const OrtGraph *graph, OrtEpGraphSupportInfo *info) {
	return NULL; // of no node
}

static struct OrtEp ep = {
	.ort_version_supported = ORT_API_VERSION, .GetName = ep_name, .GetCapability = capability};

static const char *name(const OrtEpFactory *factory) { return "IdleExecutionProvider"; }
static const char *vendor(const OrtEpFactory *factory) { return "modelparity"; }
static const char *version(const OrtEpFactory *factory) { return "1.2.3"; }
static uint32_t vendor_id(const OrtEpFactory *factory) { return 0; }

static OrtStatus *devices(OrtEpFactory *factory, const OrtHardwareDevice *const *hardware,
	size_t count, OrtEpDevice **offered, size_t most, size_t *offers) {
	*offers = 0;
	for (size_t i = 0; i < count && *offers < DEVICES && *offers < most; i++) {
		OrtStatus *status =
			api->GetEpApi()->CreateEpDevice(factory, hardware[i], NULL, NULL, &offered[*offers]);
		if (status)
			return status;
		++*offers;
	}
	return NULL;
}

static OrtStatus *create(OrtEpFactory *factory, const OrtHardwareDevice *const *hardware,
	const OrtKeyValuePairs *const *metadata, size_t count, const OrtSessionOptions *options,
	const OrtLogger *logger, OrtEp **made) {
	int refuses = 0;
	OrtStatus *status = api->HasSessionConfigEntry(
		options, "ep.idleexecutionprovider.refuse", &refuses);
	*made = &ep;
	if (!status && refuses)
		status = api->CreateStatus(ORT_FAIL, "the option refuse is set");
	return status;
}

static void release(OrtEpFactory *factory, OrtEp *made) {}

static OrtStatus *transfer(OrtEpFactory *factory, OrtDataTransferImpl **made) {
	*made = NULL; // the memory is ordinary
	return NULL;
}

static bool streams(const OrtEpFactory *factory) { return false; }

static struct OrtEpFactory factory = {.ort_version_supported = ORT_API_VERSION,
	.GetName = name,
	.GetVendor = vendor,
	.GetSupportedDevices = devices,
	.CreateEp = create,
	.ReleaseEp = release,
	.GetVendorId = vendor_id,
	.GetVersion = version,
	.CreateDataTransfer = transfer,
	.IsStreamAware = streams};

OrtStatus *CreateEpFactories(const char *registered, const OrtApiBase *base,
	const OrtLogger *logger, OrtEpFactory **factories, size_t most, size_t *count) {
	api = base->GetApi(ORT_API_VERSION);
	factories[0] = &factory;
	*count = 1;
	return NULL;
}

OrtStatus *ReleaseEpFactory(OrtEpFactory *released) { return NULL; }
