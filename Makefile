# The commands of contributors and build servers. `make help` lists it; the machine needs Go, a C
# compiler, Python 3.11 or newer with pip, and make. Everything else is fetched in exact versions.

GO     ?= go
PYTHON ?= python3

# `go run` fetches and caches a tool by its exact version, so no one installs tools by hand.
golangci_lint := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Additional arguments for `go test`, such as GOTESTFLAGS='-run Digits -v'.
GOTESTFLAGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup setup-openvino setup-tract setup-genai setup-earlier setup-polygraphy demo test golden conformance operators rounding upgrade gpu-test gpu-test-ort planted cnn bench check fmt format lint vet \
        tidy house portable builds race fuzz attack vulnerabilities clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## fetch ONNX Runtime's library into the project's cache (once; 24 MB)
	@$(GO) run ./cmd/modelparity setup --onnxrt

setup-openvino: ## fetch OpenVINO's libraries into the project's cache (once; 59 MB)
	@$(GO) run ./cmd/modelparity setup --openvino

setup-tract: ## fetch tract's library into the project's cache (once; 11 MB)
	@$(GO) run ./cmd/modelparity setup --tract

setup-genai: ## fetch ONNX Runtime GenAI's library into the project's cache (once; 11 MB)
	@$(GO) run ./cmd/modelparity setup --genai

setup-earlier: ## fetch ONNX Runtime 1.24.4 as well, for specs that run two releases (once; 17 MB)
	@MODELPARITY_LOCK=off $(GO) run ./cmd/modelparity setup --release onnxruntime=1.24.4

.PHONY: releases
releases: ## write internal/engines/releases.go, the releases of ONNX Runtime and their checksums (fetches 0.8 GB)
	$(PYTHON) internal/engines/make_releases.py artifacts/releases
	gofmt -l internal/engines/releases.go

setup-polygraphy: .venv/.complete ## create .venv with the real Polygraphy, for specs that compare the two tools

.venv/.complete: .ci/requirements.txt
	$(PYTHON) -I -m venv .venv
	.venv/bin/python -I -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
		--require-hashes -r .ci/requirements.txt
	touch $@

demo: setup ## a demo: a trained model passes; then one weight changes, and the failure is shown and accepted
	@$(GO) run ./internal/demo

# Go reuses test results while nothing changes. Go does not see libraries, Python, and files that child
# processes read, so -benchtime contains their checksum. `make check` runs vet.
go_test = @inputs=$$($(GO) run ./internal/testing/inputs) && set -x && \
	$(GO) test -vet=off $(if $(filter -bench%,$(GOTESTFLAGS)),-count=1,$$inputs) $(1) $(GOTESTFLAGS) \
	$(or $(PACKAGES),./...)

test: setup ## every spec except the long ones; results are cached while nothing changes (GOTESTFLAGS=-count=1 runs all)
	$(call go_test,-short)
	@echo "Long specs were left out; make test-whole runs them too."

.PHONY: test-whole
test-whole: setup ## every spec, including long tables, sweeps and specs that start compilers or a browser
	$(call go_test)

rounding: setup ## the example suites, the demo and more on an engine whose kernels round differently
	@$(GO) run ./internal/testing/rounding

upgrade: setup ## the upgrade session of docs/ci.md: golden files of ONNX Runtime 1.24.4, reviewed and accepted for the current release
	@UPGRADE_FROM=$$(MODELPARITY_LOCK=off $(GO) run ./cmd/modelparity setup \
		--release onnxruntime=1.24.4 | sed 's/^[^:]*: //') \
		$(GO) test -count=1 -v -run 'TestSession$$' ./internal/testing/upgrade

golden: setup ## accept the models' current outputs: rewrite the golden files that no longer match
	GOLDEN_UPDATE=1 $(GO) test -count=1 -v ./example_test/...
	git --no-pager diff --stat -- '*testdata/golden*'

.PHONY: mutate
mutate: setup ## plant faults in the models and golden files of the example suites, which must notice each (a minute)
	$(GO) run ./cmd/modelparity mutate ./example_test/...

conformance: setup setup-openvino setup-tract ## ONNX's 1765 node cases on ONNX Runtime, OpenVINO and tract (fetches 30 MB, once)
	@$(GO) run ./cmd/modelparity setup --tract
	@wheel=$$($(GO) run ./internal/setup/onnx) && \
	mkdir -p artifacts/locale && \
	{ localedef -i en_US -f UTF-8 artifacts/locale/en_US.UTF-8 || echo "without en_US.UTF-8"; } && \
	export MODELPARITY_ONNX_WHEEL="$$wheel" MODELPARITY_REQUIRE=ort,openvino,tract && \
	$(GO) test -count=1 -v -timeout 30m $(GOTESTFLAGS) ./conformance && \
	LOCPATH="$(CURDIR)/artifacts/locale" ALLOW_RELEASED_ONNX_OPSET_ONLY=0 \
		$(GO) test -count=1 -v -run '^TestConformance$$' $(GOTESTFLAGS) ./conformance

# nxrt computes on the CPU with its own kernels; its wheel is only unpacked.
.PHONY: conformance-plugins
conformance-plugins: setup artifacts/nxrt/.made ## the node cases and backendtest on the plug-ins WebGPU (needs Vulkan, see docs/engines.md) and nxrt (fetches 10 MB, once)
	@$(GO) run ./cmd/modelparity setup --webgpu
	@wheel=$$($(GO) run ./internal/setup/onnx) && export MODELPARITY_ONNX_WHEEL="$$wheel" && \
	MODELPARITY_NXRT_LIBRARY_PATH="$(CURDIR)/artifacts/nxrt/nxrt_ep_cpu/libonnx_runtime_ep_cpu_plugin.so" \
		$(GO) test -count=1 -v -timeout 30m $(GOTESTFLAGS) -run '^Test(NodeCases|Findings)On(WebGPU|NXRT)$$' ./conformance
	MODELPARITY_NXRT_LIBRARY_PATH="$(CURDIR)/artifacts/nxrt/nxrt_ep_cpu/libonnx_runtime_ep_cpu_plugin.so" \
	MODELPARITY_PLUGINS=1 $(GO) test -count=1 $(GOTESTFLAGS) ./backends/ort -ginkgo.focus=plug-in

artifacts/nxrt/.made:
	rm -rf $(@D)
	mkdir -p $(@D)
	echo 'nxrt-ep-cpu==0.1.0.dev6 --hash=sha256:d1949881dd73bd01c7fce931474ff80d7b26b68b2430b1246da25e6ec1883d38' \
		>$(@D)/wanted.txt
	$(PYTHON) -m pip download --quiet --no-deps --only-binary=:all: --require-hashes -r $(@D)/wanted.txt -d $(@D)
	cd $(@D) && $(PYTHON) -m zipfile -e *.whl .
	touch $@

operators: ## write docs/evidence/operators.md from the expected results in conformance/testdata
	@wheel=$$($(GO) run ./internal/setup/onnx) && MODELPARITY_ONNX_WHEEL="$$wheel" \
		$(GO) test -count=1 -run '^TestOperatorTable$$' ./conformance -args -operators.write

# MODELPARITY_TOLERANCES_ONLY is a regular expression that selects models. Models with a result in the
# folder MODELPARITY_TOLERANCES_RESULTS are not measured again.
.PHONY: tolerances
tolerances: setup setup-openvino setup-tract artifacts/tolerances/.made ## judge correct engines and planted faults by noise and fixed tolerances, and by NoWorseThan; writes docs/evidence/false-alarms.md and no-worse-than.md (an hour)
	@wheel=$$($(GO) run ./internal/setup/onnx) && \
	MODELPARITY_ONNX_WHEEL="$$wheel" MODELPARITY_REQUIRE=ort,openvino,tract \
	MODELPARITY_FIELD="$${MODELPARITY_FIELD:-$(CURDIR)/artifacts/field/models}" \
	MODELPARITY_TOLERANCES_MODELS="$(CURDIR)/artifacts/tolerances/models:$(CURDIR)/artifacts/tolerances/trained" \
	MODELPARITY_TOLERANCES_ENGINES="$(CURDIR)/artifacts/tolerances/engines" \
	MODELPARITY_TOLERANCES_PAGE="$${MODELPARITY_TOLERANCES_PAGE:-$(CURDIR)/docs/evidence/false-alarms.md}" \
		$(GO) test -count=1 -v -timeout 120m $(GOTESTFLAGS) ./conformance/tolerances

tolerances_make := conformance/tolerances/make
# Small trained networks that `make trained` fetches; without them only the others are measured.
tolerances_trained := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/modelparity/trained
tolerances_networks := ^(basic-pitch|magika-.*|ppocr.-cls|silero[45]|silero6-op15|wake-.*|tashkeel-bilstm|libtashkeel|voice-.*|nakdimon|rawi-2|smart-turn)$$

artifacts/tolerances/.made: .venv/.complete $(wildcard $(tolerances_make)/*.py)
	rm -rf $(@D)
	for kind in models engines; do \
		OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 .venv/bin/python $(tolerances_make)/make_$$kind.py \
			$(@D)/$$kind || exit 1; \
	done
	if [ -d "$(tolerances_trained)" ]; then \
		OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 .venv/bin/python $(tolerances_make)/make_models.py \
			$(@D)/trained '$(tolerances_networks)' "$(tolerances_trained)"; \
	fi
	touch $@

.PHONY: repair
repair: setup ## find nodes that must stay in float32, compared with bisection, on ONNX's nine CNNs; writes the table of docs/evidence/repair.md (an hour)
	@wheel=$$($(GO) run ./internal/setup/onnx) && \
	MODELPARITY_ONNX_WHEEL="$$wheel" MODELPARITY_REQUIRE=ort \
	MODELPARITY_REPAIR_PAGE="$(CURDIR)/docs/evidence/repair.md" \
		$(GO) test -count=1 -v -timeout 180m $(GOTESTFLAGS) ./conformance/repair

planted: setup ## locate faults planted in ONNX's nine CNN topologies (fetches 19 MB, once)
	@wheel=$$($(GO) run ./internal/setup/onnx) && \
	MODELPARITY_ONNX_WHEEL="$$wheel" MODELPARITY_REQUIRE=ort \
		$(GO) test -count=1 -v -timeout 30m $(GOTESTFLAGS) ./locate/planted

# Text pipelines need the locale en_US.UTF-8, as in conformance; if it cannot be made, the system's are used.
.PHONY: field
field: setup artifacts/field/.made ## locate faults planted in models of real exporters: makes the models (3 GB of packages, once), scores, and checks files derived from them
	@mkdir -p artifacts/locale && \
	if localedef -i en_US -f UTF-8 artifacts/locale/en_US.UTF-8; \
	then export LOCPATH="$(CURDIR)/artifacts/locale"; else echo "en_US.UTF-8 could not be made"; fi && \
	export MODELPARITY_FIELD="$(CURDIR)/artifacts/field/models" && \
	MODELPARITY_FIELD_TABLE="$(CURDIR)/docs/evidence/field.md" MODELPARITY_REQUIRE=ort \
		$(GO) test -count=1 -v -timeout 90m $(GOTESTFLAGS) ./conformance/field && \
	MODELPARITY_PYTHON="$(CURDIR)/artifacts/field/torch/bin/python" MODELPARITY_REQUIRE=ort,polygraphy \
		$(GO) test -count=1 -v -timeout 60m ./locate -ginkgo.label-filter=field

# `make test` takes a tenth of these cases, which are in testdata.
.PHONY: decisions
decisions: artifacts/decisions/.made ## compare/decisions against pycocotools, scikit-learn, SciPy and RapidFuzz, on 20,000 random cases (0.4 GB of packages, once)
	artifacts/decisions/bin/python compare/decisions/testdata/reference.py artifacts/decisions/cases
	artifacts/decisions/bin/python compare/decisions/testdata/logits.py artifacts/decisions/cases 10
	MODELPARITY_DECISIONS="$(CURDIR)/artifacts/decisions/cases" \
		$(GO) test -count=1 -v ./compare/decisions -ginkgo.focus='agree|pycocotools' $(GOTESTFLAGS)

# The specs must agree with the cases, and torchmetrics' answers too.
.PHONY: decisions-torchmetrics
decisions-torchmetrics: decisions artifacts/torchmetrics/.made ## the cases of make decisions, judged by torchmetrics (5 GB with PyTorch, once)
	artifacts/torchmetrics/bin/python compare/decisions/testdata/second_opinion.py artifacts/decisions/cases

artifacts/torchmetrics/.made: backends/process/testdata/torch.txt compare/decisions/testdata/torchmetrics.txt
	rm -rf $(@D)
	$(PYTHON) -I -m venv $(@D)
	$(@D)/bin/python $(field_pip) -r $<
	$(@D)/bin/python $(field_pip) --no-deps -r compare/decisions/testdata/torchmetrics.txt
	touch $@

artifacts/decisions/.made: compare/decisions/testdata/requirements.txt
	rm -rf $(@D)
	$(PYTHON) -I -m venv $(@D)
	$(@D)/bin/python $(field_pip) -r $<
	touch $@

# MODELPARITY_FIELD="$PWD/artifacts/field/models" uses all models of make field.
# MODELPARITY_FIELD names a folder of models to use instead of those of make field.
.PHONY: relations
relations: setup setup-openvino setup-tract ## relations of ONNX Runtime, OpenVINO and tract on models of real exporters (run make field first)
	@mkdir -p artifacts/locale && \
	if localedef -i en_US -f UTF-8 artifacts/locale/en_US.UTF-8; \
	then export LOCPATH="$(CURDIR)/artifacts/locale"; else echo "en_US.UTF-8 could not be made"; fi && \
	MODELPARITY_FIELD="$${MODELPARITY_FIELD:-$(CURDIR)/artifacts/field/models}" \
	MODELPARITY_REQUIRE=ort,openvino,tract \
		$(GO) test -count=1 -v -timeout 60m ./relations -ginkgo.label-filter=field -ginkgo.v \
		$(GOTESTFLAGS)

.PHONY: written
written: setup setup-polygraphy ## run ONNX's checker on the files that cut, reduce, mark and extract write for models of real exporters
	MODELPARITY_FIELD="$${MODELPARITY_FIELD:-$(CURDIR)/conformance/field/testdata}" \
	MODELPARITY_REQUIRE=ort,polygraphy \
		$(GO) test -count=1 -v -timeout 60m ./locate -ginkgo.label-filter=field $(GOTESTFLAGS)

# `make test` uses a selection, which is in testdata.
.PHONY: transforms
transforms: setup setup-polygraphy ## change models of real exporters (run make field first), check them with ONNX's checker and compare them with the originals; writes the table of docs/evidence/transforms.md
	@mkdir -p artifacts/locale && \
	if localedef -i en_US -f UTF-8 artifacts/locale/en_US.UTF-8; \
	then export LOCPATH="$(CURDIR)/artifacts/locale"; else echo "en_US.UTF-8 could not be made"; fi && \
	MODELPARITY_FIELD="$${MODELPARITY_FIELD:-$(CURDIR)/artifacts/field/models}" \
	MODELPARITY_TRANSFORMS_PAGE="$(CURDIR)/docs/evidence/transforms.md" MODELPARITY_REQUIRE=ort,polygraphy \
		$(GO) test -count=1 -v -timeout 30m ./conformance/transforms $(GOTESTFLAGS)

.PHONY: large
large: setup setup-polygraphy ## change a model larger than 2 GiB, and save its weights in a separate file (5 GB of disk and 9 GB of memory, some minutes)
	MODELPARITY_LARGE=1 MODELPARITY_REQUIRE=ort,polygraphy \
		$(GO) test -count=1 -v -timeout 30m ./conformance/transforms -ginkgo.focus='beyond 2 GiB' $(GOTESTFLAGS)

# TensorFlow has its own environment, because its dependencies' versions differ from PyTorch's.
field_make := conformance/field/make
field_pip := -I -m pip install --quiet --disable-pip-version-check --only-binary=:all: --require-hashes

artifacts/field/.made: $(wildcard $(field_make)/*.py $(field_make)/*.txt)
	for env in torch tensorflow; do $(PYTHON) -I -m venv artifacts/field/$$env || exit 1; done
	artifacts/field/torch/bin/python $(field_pip) -r $(field_make)/torch.txt
	artifacts/field/tensorflow/bin/python $(field_pip) -r $(field_make)/tensorflow.txt
	rm -rf artifacts/field/models
	for env in torch tensorflow; do \
		OMP_NUM_THREADS=1 PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 artifacts/field/$$env/bin/python \
			$(field_make)/make.py artifacts/field/models || exit 1; \
	done
	touch $@

.PHONY: field-digest
field-digest: artifacts/field/.made ## pack the models that `make test` uses into conformance/field/testdata
	artifacts/field/torch/bin/python $(field_make)/digest.py artifacts/field/models conformance/field/testdata

.PHONY: decoders
decoders: artifacts/field/.made ## export the decoders of decode/testdata again, with transformers
	OMP_NUM_THREADS=1 PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 artifacts/field/torch/bin/python \
		conformance/field/decoders.py decode/testdata

.PHONY: decoders-lower
decoders-lower: setup artifacts/field/.made ## the decoders of decode/testdata in fp16 and int8, compared with float32
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 artifacts/field/torch/bin/python conformance/field/lower.py \
		decode/testdata artifacts/field/lower
	MODELPARITY_DECODERS_LOWER="$(CURDIR)/artifacts/field/lower" MODELPARITY_REQUIRE=ort \
		$(GO) test -count=1 -v ./decode -ginkgo.focus="lower precisions" -ginkgo.v $(GOTESTFLAGS)

.PHONY: decode-cost
decode-cost: setup setup-polygraphy ## measure: a thousand tokens, compared with ONNX Runtime's own loop with IO binding (needs an idle machine)
	MODELPARITY_DECODE_COST="$(CURDIR)/.venv/bin/python" MODELPARITY_REQUIRE=ort \
		$(GO) test -count=1 -v ./decode -ginkgo.label-filter=cost -ginkgo.v $(GOTESTFLAGS)

# Each framework has its own environment, in exact versions.
engines := artifacts/engines
.PHONY: engines
engines_made := $(engines)/torch/.made $(engines)/tensorflow/.made $(engines)/jax/.made
engines: $(engines_made) setup-polygraphy ## programs as engines: PyTorch, TensorFlow, JAX, ONNX's evaluator, LPIPS; then make served (9 GB, once)
	MODELPARITY_PYTHON="$(CURDIR)/.venv/bin/python" MODELPARITY_ENGINES="$(CURDIR)/$(engines)" \
		MODELPARITY_REQUIRE=onnxreference,python \
		$(GO) test -count=1 -v -timeout 120m ./backends/process $(GOTESTFLAGS)
	$(MAKE) served

$(engines_made): $(engines)/%/.made: backends/process/testdata/%.txt
	rm -rf $(@D)
	$(PYTHON) -I -m venv $(@D)
	$(@D)/bin/python $(field_pip) -r $<
	touch $@

# MODELPARITY_PYTHON may name a different Python that has the packages of .ci/requirements.txt.
trained_python := $(or $(MODELPARITY_PYTHON),.venv/bin/python) -B
trained_folder := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/modelparity/trained
.PHONY: trained
trained: setup setup-openvino setup-tract setup-polygraphy ## 51 trained networks from published packages (520 MB, once), with every engine and command; takes six hours, and continues where it stopped; writes docs/evidence/trained.md (ONLY=regexp for fewer, REST=1 for what the page lacks)
	$(GO) build -o bin/modelparity ./cmd/modelparity
	$(trained_python) conformance/trained/fetch.py "$(trained_folder)"
	earlier=$$(MODELPARITY_LOCK=off bin/modelparity setup --release onnxruntime=1.24.4 | sed 's/^[^:]*: //') && \
	$(trained_python) conformance/trained/run.py "$(trained_folder)" artifacts/trained --command bin/modelparity \
		--earlier "$$earlier" --page docs/evidence/trained.md $(if $(ONLY),--only '$(ONLY)') $(if $(REST),--rest)

# The two networks whose names begin with an i are left out: they take 5 GB and 400 s each.
trained_planted = MODELPARITY_TRAINED="$(trained_folder)" MODELPARITY_REQUIRE=ort \
	$(GO) test -count=1 -v -timeout 90m $(GOTESTFLAGS) ./conformance/field -ginkgo.focus='on trained networks'
.PHONY: planted-trained
planted-trained: setup ## locate faults planted in the trained networks; takes 40 minutes, and continues where it stopped; writes the table of docs/evidence/trained.md (ONLY=regexp for fewer)
	$(trained_python) conformance/trained/fetch.py "$(trained_folder)"
	mkdir -p artifacts/trained/planted
	MODELPARITY_TRAINED_KEPT="$(CURDIR)/artifacts/trained/planted" MODELPARITY_TRAINED_ONLY='$(or $(ONLY),^[^i])' \
	MODELPARITY_FIELD_TABLE="$(CURDIR)/docs/evidence/trained.md" $(trained_planted)

.PHONY: trained-digest
trained-digest: setup setup-openvino setup-tract $(if $(MODELPARITY_PYTHON),,.venv/.complete) ## check the verdicts of five trained networks (17 MB, once)
	$(GO) build -o bin/modelparity ./cmd/modelparity
	$(trained_python) conformance/trained/fetch.py --digest "$(trained_folder)"
	$(trained_python) conformance/trained/run.py --digest "$(trained_folder)" artifacts/trained --command bin/modelparity
	MODELPARITY_TRAINED_ONLY='^(silero5|silero-half|magika-1|rawi-3)$$' $(trained_planted)

.PHONY: trained-beside
trained-beside: setup setup-polygraphy ## measure: processor time and memory of `run`, compared with Polygraphy's, on six trained networks
	$(GO) build -o bin/modelparity ./cmd/modelparity
	$(trained_python) conformance/trained/fetch.py "$(trained_folder)"
	$(trained_python) conformance/trained/beside.py "$(trained_folder)" --command bin/modelparity \
		--polygraphy "$(dir $(firstword $(trained_python)))polygraphy"

cnn: setup ## the specs of CNNs that need no GPU (fetches 19 MB, once)
	@wheel=$$($(GO) run ./internal/setup/onnx) && \
	MODELPARITY_ONNX_WHEEL="$$wheel" MODELPARITY_REQUIRE=ort \
		$(GO) test -count=1 -v -timeout 30m ./conformance/cnn $(GOTESTFLAGS)

gpu-test: ## the specs that need an NVIDIA GPU and TensorRT (MODELPARITY_TENSORRT_LIBRARY_PATH)
	@mkdir -p bin
	$(GO) test -c -o bin/trt.test ./backends/trt
	$(GO) test -c -o bin/conformance.test ./conformance
	$(GO) test -c -o bin/cnn.test ./conformance/cnn
	$(GO) test -c -o bin/relations.test ./relations
	wheel=$${MODELPARITY_ONNX_WHEEL:-$$($(GO) run ./internal/setup/onnx)} && \
	MODELPARITY_ONNX_WHEEL="$$wheel" \
		backends/trt/gputest.sh bin/trt.test bin/conformance.test bin/cnn.test bin/relations.test

.PHONY: gpu-test-tolerance
gpu-test-tolerance: ## measured tolerances on TensorRT, with ONNX's nine CNNs (MODELPARITY_TENSORRT_LIBRARY_PATH)
	@mkdir -p bin
	$(GO) test -c -o bin/cnn.test ./conformance/cnn
	wheel=$${MODELPARITY_ONNX_WHEEL:-$$($(GO) run ./internal/setup/onnx)} && \
	MODELPARITY_ONNX_WHEEL="$$wheel" backends/trt/tolerancetest.sh bin/cnn.test

gpu-test-ort: ## the specs for ONNX Runtime's GPU build (ONNXRUNTIME_SHARED_LIBRARY_PATH)
	@mkdir -p bin
	$(GO) test -c -o bin/ort.test ./backends/ort
	$(GO) build -o bin/modelparity ./cmd/modelparity
	backends/ort/gputest.sh bin/ort.test bin/modelparity

.PHONY: peaks
peaks: ## the memory limit for hostile files: each command stays within 64 MiB plus four times its files
	@$(GO) run ./internal/testing/attack -only bombs $(if $(ONLY),-files '$(ONLY)')

# Each server has its own environment, because their versions of packages differ.
served_made := artifacts/engines/mlserver/.made artifacts/engines/kserve/.made
.PHONY: remote
remote: ## engines on another machine, over OpenSSH's server on this machine, which must be installed
	MODELPARITY_REQUIRE=sshd $(GO) test -count=1 -v ./backends/remote $(GOTESTFLAGS)

.PHONY: served
served: $(served_made) artifacts/engines/llamacpp/.made ## deployed models: MLServer, KServe's server, NVIDIA's client and llama.cpp's server on loopback (1.5 GB, once)
	MODELPARITY_ENGINES="$(CURDIR)/artifacts/engines" MODELPARITY_REQUIRE=mlserver,kserve,tritonclient,llamacpp \
		$(GO) test -count=1 -v ./backends/served/... $(GOTESTFLAGS)

$(served_made): artifacts/engines/%/.made: backends/served/testdata/%.txt
	rm -rf $(@D)
	$(PYTHON) -I -m venv $(@D)
	$(@D)/bin/python $(field_pip) -r $<
	touch $@

artifacts/engines/llamacpp/.made: backends/served/testdata/llamacpp.txt \
		backends/served/testdata/llamacpp_source.txt
	rm -rf $(@D)
	$(PYTHON) -I -m venv $(@D)
	$(@D)/bin/python $(field_pip) -r $<
	$(@D)/bin/python -I -m pip download --quiet --disable-pip-version-check --no-deps \
		--no-binary=:all: --require-hashes -d $(@D)/source -r $(word 2,$^)
	tar xzf $(@D)/source/*.tar.gz -C $(@D)/source --strip-components=1
	PATH="$(CURDIR)/$(@D)/bin:$$PATH" cmake -G Ninja -S $(@D)/source/vendor/llama.cpp \
		-B $(@D)/source/build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_OPENMP=OFF \
		-DGGML_NATIVE=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_BUILD_TESTS=OFF \
		-DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF
	$(@D)/bin/cmake --build $(@D)/source/build --target llama-server
	cp $(@D)/source/build/bin/llama-server $(@D)/bin/
	rm -rf $(@D)/source
	touch $@

bench: setup setup-polygraphy ## measure: package compare next to Polygraphy, then every benchmark
	$(GO) run ./internal/testing/bench -python .venv/bin/python
	$(GO) test -run '^$$' -bench . -benchmem $(GOTESTFLAGS) ./...

.PHONY: iterations
iterations: setup ## measure: the memory of each command that processes runs, for 10,000 iterations and for 1,000 (5 GB of disk, minutes)
	@$(GO) run ./internal/testing/iterations $(if $(ONLY),-only '$(ONLY)')

.PHONY: streams
streams: ## measure: comparing two files of 10⁸ and of 10⁹ elements in bounded memory (19 GB of disk; N=100000000 for less)
	@$(GO) run ./internal/testing/streams $(if $(N),-n '$(N)')

.PHONY: growth
growth: setup ## measure: cost per item as elements, outputs, nodes, iterations and specs grow, for benchstat (docs/evidence/growth.md)
	@$(GO) test -run '^$$' -bench 'Growth/$(ONLY)' -benchtime 50ms -count 3 -timeout 1h ./internal/testing/growth

.PHONY: golden-growth
golden-growth: ## measure: writing and checking golden files of 1 MB to 2 GB, next to only hashing and writing as many bytes (SIZES=100MB for one)
	@$(GO) test -run '^$$' -bench '(Write|Check|Floor)/$(or $(SIZES),.)' -benchmem -count 3 -timeout 1h ./golden

check: format lint tidy house portable ## everything except the specs; must pass before a commit

format:
	@files=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$files" ]; then echo "not formatted; run make fmt:"; echo "$$files"; exit 1; fi

fmt: ## format every Go file
	gofmt -w $$(git ls-files '*.go')

lint: ## the linters of .golangci.yml, including all of go vet and ginkgolinter
	$(golangci_lint) run --allow-parallel-runners

tidy:
	$(GO) mod tidy -diff

house: ## the house rules: imports between packages, line length, which packages may use Ginkgo
	$(GO) test -count=1 ./internal/housetest

portable: ## type-check every package and spec for other systems and without cgo
	$(GO) run ./internal/testing/portable

.PHONY: published
published: ## run the commands of README and getting-started in an empty module, with this module packed as a release (minutes)
	@$(GO) run ./internal/testing/published

.PHONY: fused
fused: ## look in the compiler's output for sums that arm64 would round differently
	$(GO) run ./internal/testing/fused

# On a machine that is not arm64, Debian's qemu-user-static has the emulator.
QEMU ?= qemu-aarch64-static
emulated_packages := ./tensor/... ./internal/codec/... ./compare/... ./fixtures ./internal/runfile \
	./internal/overview ./internal/jsonstream ./internal/jsonfloat

.PHONY: emulated
# Specs that start programs are left out, because these programs are not built for arm64.
emulated: ## test the packages that compare, read and write numbers, on arm64 under QEMU (some minutes)
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -vet=off -count=1 -timeout 60m -exec $(QEMU) \
		$(GOTESTFLAGS) $(emulated_packages)
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -vet=off -count=1 -timeout 60m -exec $(QEMU) \
		$(GOTESTFLAGS) ./golden -ginkgo.skip='Removing unused|Killing the writer|disk that is full'

builds: ## compile every package for other systems and without cgo
	CGO_ENABLED=0 $(GO) build ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build ./...

# Without atexit_sleep_ms=0 each program that specs start sleeps for a second before it exits.
race: setup ## every spec in random order under the race detector
	GORACE="$(or $(GORACE),atexit_sleep_ms=0)" \
		$(GO) test -race -shuffle=on -count=1 $(GOTESTFLAGS) $(or $(PACKAGES),./...)

fuzz: ## a few seconds of each fuzz target, guided by coverage; FUZZTIME=1m for more
	@.ci/fuzz $(or $(FUZZTIME),3s) -fuzz=Fuzz

# The second and third line run attacks that need specs instead of files: decisions on new random data,
# samples, useless noise, edited caches, NaN on one side, simultaneous updates, and redirects.
attack: setup ## attack the command with malicious files (make fuzz has damaged ones, make peaks has bombs)
	@$(GO) run ./internal/testing/attack -only scenarios
	@MODELPARITY_DRAW=$$(date +%s) $(GO) test -count=1 ./compare/decisions -ginkgo.focus 'The power of a decision'
	@$(GO) test -count=1 ./matchers ./noise ./compare ./golden ./backends/served -ginkgo.focus \
		'holds a sample|as large as|cache is damaged|not finite on one side|side by side|no redirect'

vulnerabilities: ## look up known vulnerabilities in linked code; exit status 2 if the lookup failed
	@.ci/vulnerabilities

clean: ## remove the results of builds and runs, but not the caches of make setup
	rm -rf bin dist artifacts .gocache
	find . -name '*.test' -not -path './.venv/*' -type f -delete
