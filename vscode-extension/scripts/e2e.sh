#!/usr/bin/env bash
# The extension in a real VS Code: everything in the newest, and what VS Code itself has a part in also in the oldest.
# Usage: e2e.sh [new|old] ...    SHOTS=FOLDER keeps pictures
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/torchwise/code-server
minor=$("${PYTHON:-../.venv/bin/python}" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
export VSIX=$made/torchwise.vsix TORCHWISE_PYTHON=${PYTHON:-$PWD/../.venv/bin/python}
node scripts/package.mjs --pythons "$minor" --out "$VSIX" >/dev/null
node scripts/build.mjs --tests
for which in "${@:-new old}"; do
    for version in $which; do
        bash scripts/install-code-server.sh "$version" "$cache/$version" >/dev/null
        files=(out/e2e/findings.test.js)
        [ "$version" = old ] || files=(out/e2e/*.test.js)
        CODE_SERVER=$version node --test --test-concurrency=1 "${files[@]}"
    done
done
