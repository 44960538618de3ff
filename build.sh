#!/usr/bin/env bash
# The one entry to building, showing, testing and checking leanmem.
# Needs Go alone; what else a step would use is skipped with a reason when it
# is absent, and with LEANMEM_REQUIRE=1 such a skip is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export CGO_ENABLED="${CGO_ENABLED:-0}"

usage() {
  cat <<'TEXT'
usage: ./build.sh COMMAND [ARGUMENTS]

  build    the plugin (dist/leanmem.wasm, dist/leanmem-step.wasm) and the command (bin/leanmem)
  demo     a months-long dialogue becomes memory and answers questions; no model, server or key
  test     every test; arguments go to "go test" (e.g. ./build.sh test -run Chinese ./host/...)
  check    formatting, vet, import directions, purity of core, cross-builds, words that must not occur
  bench    Go benchmarks, then "leanmem bench" on the files or folders given (or $LEANMEM_DATA)
  soak     the long forms: kills of processes and servers, random verbs against a reference, growth,
           whole conversations in Node and Chromium, then adds and searches by the command:
           ./build.sh soak [MINUTES of the last]
  e2e      add, evolve, search and answer with a small real model on one thread, recorded for "test" to replay
  fuzz     every fuzz target in turn: ./build.sh fuzz [SECONDS each]
TEXT
}

say() { printf '%s\n' "$*"; }

# missing REASON: a step cannot run here.
missing() {
  if [ "${LEANMEM_REQUIRE:-}" = 1 ]; then
    say "FAIL: required but missing: $*"
    exit 1
  fi
  say "skipped: $*"
}

# nested lists the directories of Go modules below this one.
nested() {
  find host js -name node_modules -prune -o -name go.mod -print 2>/dev/null | xargs -r -n1 dirname | sort
}

plugin() { # plugin OUTPUT [TAGS]
  GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -ldflags='-s -w' -tags="${2:-}" -o "$1" ./plugin
}

artefacts() {
  [ -d plugin ] || return 0
  mkdir -p dist
  plugin dist/leanmem.wasm
  plugin dist/leanmem-step.wasm step
}

build() {
  mkdir -p bin
  artefacts
  go build -trimpath -o bin/leanmem ./host/cmd/leanmem
  say "built:"
  ls -l dist/*.wasm bin/leanmem 2>/dev/null | awk '{printf "  %-28s %9d bytes\n", $NF, $5}'
}

demo() {
  mkdir -p bin
  go build -trimpath -o bin/leanmem ./host/cmd/leanmem
  ./bin/leanmem demo "$@"
}

run_tests() {
  if [ "$#" -gt 0 ]; then
    go test "$@"
    return
  fi
  check
  go test ./... ./testdata/dialogues
  local dir
  for dir in $(nested); do
    if (cd "$dir" && go mod download >/dev/null 2>&1); then
      say "module $dir:"
      (cd "$dir" && go test ./...)
    else
      missing "module $dir: its dependencies cannot be downloaded"
    fi
  done
  test_js
  artefacts # the other languages take them from dist
  plugin_size
  test_python
  test_rust
  say "PASS: ./build.sh test"
}

# plugin_size keeps the plugin small enough to load in a page.
plugin_size() {
  local most=3300000 file bytes
  for file in dist/*.wasm; do
    bytes=$(gzip -9 -c "$file" | wc -c)
    say "$file: $bytes bytes gzipped"
    if [ "$bytes" -gt "$most" ]; then
      say "FAIL: $file has $bytes bytes gzipped; the limit is $most"
      exit 1
    fi
  done
}

test_js() {
  [ -f js/package.json ] || return 0
  if ! command -v npm >/dev/null; then
    missing "js: npm is not installed"
    return 0
  fi
  install_js
  (cd js && npm test)
}

install_js() {
  # npm ci refuses a lock file that names an optional package which its registry
  # lacks; install keeps to the same lock file and passes it over.
  (cd js && { npm ls >/dev/null 2>&1 || npm ci --no-audit --no-fund 2>/dev/null || npm install --no-audit --no-fund; })
}

test_python() {
  [ -f host/python/requirements.txt ] || return 0
  local python="${LEANMEM_PYTHON:-python3}"
  if ! "$python" -c 'import extism' 2>/dev/null; then
    missing "host/python: $python lacks the packages of host/python/requirements.txt"
    return 0
  fi
  say "host/python:"
  (cd host/python && "$python" -m unittest)
}

test_rust() {
  [ -f host/rust/Cargo.toml ] || return 0
  if ! command -v cargo >/dev/null; then
    missing "host/rust: cargo is not installed"
  elif ! (cd host/rust && cargo fetch --locked --quiet); then
    missing "host/rust: its crates cannot be downloaded"
  else
    say "host/rust:"
    (cd host/rust && cargo test --locked --quiet)
  fi
}

check() {
  go run ./.ci/check
  say "vet: both builds of the plugin, the nested modules"
  go vet ./... ./testdata/dialogues
  if [ -d plugin ]; then
    GOOS=wasip1 GOARCH=wasm go vet ./core/... ./plugin/...
    GOOS=wasip1 GOARCH=wasm go vet -tags=step ./core/... ./plugin/...
  fi
  local dir out
  for dir in $(nested); do
    if (cd "$dir" && go mod download >/dev/null 2>&1); then
      (cd "$dir" && go vet ./...)
    else
      missing "vet of module $dir: its dependencies cannot be downloaded"
    fi
  done
  if [ -d plugin ]; then
    say "cross-build: wasip1, both artefacts"
    out=$(mktemp -d)
    plugin "$out/leanmem.wasm" && plugin "$out/leanmem-step.wasm" step
    rm -rf "$out"
  fi
  say "PASS: ./build.sh check"
}

bench() {
  go test -run '^$' -bench . -benchmem ./...
  mkdir -p bin
  go build -trimpath -o bin/leanmem ./host/cmd/leanmem
  local data=("$@")
  if [ "${#data[@]}" -eq 0 ] && [ -n "${LEANMEM_DATA:-}" ]; then data=("$LEANMEM_DATA"); fi
  if [ "${#data[@]}" -eq 0 ]; then
    missing "leanmem bench: name files, or set LEANMEM_DATA to a folder with LoCoMo and LongMemEval files"
    return 0
  fi
  ./bin/leanmem bench "${data[@]}"
}

soak() {
  # Seeds and figures are printed; LEANMEM_SEED=N repeats a run.
  LEANMEM_SOAK=1 go test -timeout 0 -count 1 -v ./host/soak
  LEANMEM_SOAK=1 go test -timeout 0 -count 1 -v ./hostfuncs/store/...
  soak_js
  LEANMEM_SOAK="${1:-10}m" LEANMEM_KILLS="${LEANMEM_KILLS:-100}" go test -timeout 0 -run 'Soak|Killed' -count 1 -v ./host/cmd/leanmem
}

# soak_js compares Node and Chromium with the native engine on whole conversations.
soak_js() {
  if ! command -v npm >/dev/null; then
    missing "js: npm is not installed"
    return 0
  fi
  install_js
  (cd js && node build.mjs && LEANMEM_SOAK=1 node --test --test-reporter=spec test/locomo.test.js)
}

# e2e starts the small model of testdata/e2e, unless LEANMEM_E2E_URL names
# another server's /v1.
e2e() {
  local server="" port="${LEANMEM_E2E_PORT:-8711}" log
  if [ -z "${LEANMEM_E2E_URL:-}" ]; then
    if ! command -v node >/dev/null || ! command -v npm >/dev/null || ! python3 -m pip --version >/dev/null 2>&1; then
      missing "e2e: needs node, npm and python3 with pip"
      return 0
    fi
    log=$(mktemp)
    testdata/e2e/serve-model.sh "$port" >"$log" 2>&1 &
    server=$!
    trap 'kill "$server" 2>/dev/null || true' EXIT
    until grep -q '^ready' "$log"; do
      kill -0 "$server" 2>/dev/null || { cat "$log" >&2; exit 1; }
      sleep 1
    done
    export LEANMEM_E2E_URL="http://127.0.0.1:$port/v1"
  fi
  go test -run EndToEnd -timeout 0 -count 1 -v "$@" ./host/cmd/leanmem
  if [ -n "$server" ]; then
    say "replies asked for again: $(grep -c '(repair)' "$log" || true) of $(grep -c ' s$' "$log" || true)"
  fi
}

fuzz() {
  local seconds="${1:-20}" package target
  for package in $(go list ./...); do
    for target in $(go test -list '^Fuzz' "$package" 2>/dev/null | grep '^Fuzz' || true); do
      say "fuzz: $package $target for ${seconds}s"
      # Of a minute for every new input, its default, minimising would take most.
      go test -run '^$' -fuzz "^${target}\$" -fuzztime "${seconds}s" -fuzzminimizetime 2s "$package"
    done
  done
}

command="${1:-}"
shift || true
case "$command" in
  build | demo | check | bench | soak | e2e | fuzz) "$command" "$@" ;;
  test) run_tests "$@" ;;
  "" | help | -h | --help) usage ;;
  *)
    usage >&2
    say "unknown command: $command" >&2
    exit 2
    ;;
esac
