#!/usr/bin/env bash
# Run the whole pipeline on the tiny profile in a scratch copy of this checkout (uncommitted files too), then
# once more: the second run must find nothing to do. The checkout itself stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

git ls-files -co --exclude-standard -z | while IFS= read -r -d '' file; do
  [ -e "$file" ] || continue # deleted, but not committed yet
  mkdir -p "$scratch/$(dirname "$file")"
  cp -P "$file" "$scratch/$file"
done

cd "$scratch"
git init -q
git add -A
git -c user.name=tiny -c user.email=tiny@localhost -c commit.gpgsign=false commit -qm "scratch copy"
python tools/profile.py tiny
dvc repro

second=$(dvc repro 2>&1) || { echo "$second"; exit 1; }
if grep -q '^Running stage' <<<"$second"; then
  echo "tiny: the second dvc repro should have found nothing to do:" >&2
  echo "$second" >&2
  exit 1
fi
cat reports/results.md
