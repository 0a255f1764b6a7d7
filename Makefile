# `make` prints the targets.
.DEFAULT_GOAL := help

help: ## print this
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: ## build and serve with the settings of the environment
	go run ./cmd/typus serve

demo: ## a throw-away account, the main job once, then serve
	go run ./cmd/typus demo

test: tools ## everything, on both databases, in a real browser; installs what is missing
	CI=$${CI:-true} scripts/test

lint: ## golangci-lint, and govulncheck where its database can be reached
	scripts/lint

flaky: ## run PKG's tests (RUN=regexp) COUNT=20 times on a busy machine, count each one's failures; 45 minutes at most
	scripts/tools flaky
	scripts/flaky "$(PKG)" "$(RUN)" "$(COUNT)"

bench: ## every figure against its target, at a million candidates: bench/RESULTS.md (an hour; QUICK=1: a try)
	go run ./bench $(if $(QUICK),-quick)
	go test ./internal/store -run - -bench "PauseWithAHundredThousandWaiting$$|EventsBesideACourier" -benchtime 20x

audit: ## openapi.yaml and every public page by redocly, spectral, Lighthouse and the HTML checker; installs them
	scripts/audit

third-party: ## write THIRD_PARTY.md anew
	go run ./scripts/thirdparty > THIRD_PARTY.md

tools: ## install what the tests need (Debian packages, npm test tools)
	scripts/tools

.PHONY: help run demo test lint flaky bench audit third-party tools
