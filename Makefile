# `make` prints the targets.
.DEFAULT_GOAL := help

help: ## print this
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: ## build and serve with the settings of the environment
	go run ./cmd/typus serve

demo: ## a throw-away account, the main job once, then serve
	go run ./cmd/typus demo

dev: ## the demo with the pages' templates, texts and CSS read from disk; a page loads again when one of them changes
	go run -tags dev ./cmd/typus demo

test: tools ## everything, on both databases, in a real browser (MATRIX=all: each page in every way); installs what is missing
	CI=$${CI:-true} TYPUS_MATRIX=$(MATRIX) scripts/test

race: tools ## every test with the race detector, of which "make test" runs those in which goroutines meet and an eighth of the others; half an hour
	CI=$${CI:-true} RACE=all scripts/test

check: ## before each commit: form, vet, subjects, and the tests with -short: no browser, SQLite only
	scripts/check

subjects: ## no subject of a commit is longer than 72 characters
	scripts/subjects

lint: ## golangci-lint, and govulncheck where its database can be reached
	scripts/lint

tidy: ## go.mod and go.sum say what is used, no more and no less
	go mod tidy -diff

cross: ## build as a release does, for linux/arm64, darwin and windows
	ONCE=1 TARGETS="linux/arm64 darwin/arm64 windows/amd64" scripts/release

release: ## the files of a release in dist/: programs, bills of materials, sums; built twice and compared
	scripts/release

fuzz: ## each fuzz target for 20 seconds, two at a time; SECONDS_EACH=600 for a night
	scripts/fuzz

flaky: ## run PKG's tests (RUN=regexp) COUNT=20 times on a busy machine, count each one's failures; 45 minutes at most
	scripts/tools flaky
	scripts/flaky "$(PKG)" "$(RUN)" "$(COUNT)"

simulate: ## the webhook engine through SEEDS=200 drawn lives with crashes, wrong clocks and bad receivers; SEED=7 plays one again
	SEEDS=$(SEEDS) SEED=$(SEED) scripts/simulate

chaos: ## real servers that are killed, stopped, frozen and starved, on both databases (SHORT=1: less of each, two to four minutes; ROUNDS=, SEED=, ONLY=regexp; SOAK=1h: a steady load)
	scripts/tools
	SHORT=$(SHORT) ROUNDS=$(ROUNDS) SEED=$(SEED) ONLY='$(ONLY)' SOAK=$(SOAK) scripts/chaos

hostile: ## a hundred receivers that do all that is bad beside a healthy one, for a minute; SHORT=1: for 20 seconds; SECONDS_EACH=600 for longer
	TYPUS_HOSTILE_SECONDS=$(or $(SECONDS_EACH),$(if $(SHORT),20,60)) go test ./internal/courier -run AHundredHostileReceivers -count 1 -timeout 0 -v

bench: ## every figure against its target, at a million candidates: bench/RESULTS.md (an hour; QUICK=1: a try)
	go run ./bench $(if $(QUICK),-quick)
	go test ./internal/store -run - -bench "PauseWithAHundredThousandWaiting$$|EventsBesideACourier" -benchtime 20x

audit: ## openapi.yaml and every public page by redocly, spectral, Lighthouse and the HTML checker; installs them
	scripts/audit

third-party: ## write THIRD_PARTY.md anew
	go run ./scripts/thirdparty > THIRD_PARTY.md

tools: ## install what the tests need (Debian packages, npm test tools)
	scripts/tools

.PHONY: help run demo dev test race check subjects lint tidy cross release fuzz flaky simulate chaos hostile bench audit third-party tools
