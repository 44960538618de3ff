#!/usr/bin/env bash
# Runs leanmem end to end with a language model and keeps the model's replies
# as a cassette: add, evolve, search, answer on the dialogue "friends".
#
#   testdata/e2e/run.sh LEANMEM URL MODEL CASSETTE
#
# Every step prints one object of JSON a line to standard output. LEANMEM is
# the built command. With URL "" the cassette is replayed instead.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
leanmem="$1" url="$2" model="$3" cassette="$4"
dialogues="$here/../dialogues"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

if [ -n "$url" ]; then
  through=(--llm-url "$url" --record "$cassette")
else
  through=(--replay "$cassette")
fi
step() {
  "$leanmem" --store "buntdb:$work/e2e.db" --bank e2e --now 2025-12-01 --json --llm-model "$model" --llm-timeout 30m --llm-parallel 1 \
    "${through[@]}" "$@"
}

step add "$dialogues/friends.jsonl"
step evolve
step search --budget 1000 --queries "$dialogues/friends.questions.jsonl"
head -n 16 "$dialogues/friends.questions.jsonl" | while IFS= read -r line; do
  question="$(printf '%s' "$line" | sed -E 's/.*"question": "(([^"\\]|\\.)*)".*/\1/')"
  step answer --budget 600 "$question"
done
step stats
