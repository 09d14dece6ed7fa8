#!/usr/bin/env bash
# VS Code in the browser, with the extension, on a copy of the demo project. Stop it with Ctrl+C.
# Usage: open.sh [PORT]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
port=${1:-8765} python=${PYTHON:-$PWD/../.venv/bin/python}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/torchwise
server=$cache/code-server/new home=$cache/vscode-demo
bash scripts/install-code-server.sh new "$server"
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
mkdir -p "$home/data/Machine" "$home/data/User"
[ -d "$home/orchard" ] || cp -r ../demo/faulty "$home/orchard"
node scripts/package.mjs --pythons "$minor" --out "$home/torchwise.vsix" >/dev/null
printf '{"torchwise.interpreter": ["%s"]}\n' "$python" >"$home/data/Machine/settings.json"
printf '{"workbench.startupEditor": "none", "chat.disableAIFeatures": true}\n' >"$home/data/User/settings.json"
printf 'auth: none\ncert: false\n' >"$home/config.yaml"
code() {
    EXTENSIONS_GALLERY='{}' "$server/node" "$server/node_modules/code-server/out/node/entry.js" --config "$home/config.yaml" \
        --user-data-dir "$home/data" --extensions-dir "$home/extensions" "$@"
}
code --install-extension "$home/torchwise.vsix" >/dev/null
url="http://127.0.0.1:$port/?folder=$home/orchard"
echo "VS Code with Torchwise: $url"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then (sleep 2 && xdg-open "$url") & fi
code --auth none --bind-addr "127.0.0.1:$port" --disable-telemetry --disable-update-check --disable-workspace-trust \
    --disable-getting-started-override --ignore-last-opened
