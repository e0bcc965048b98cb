#!/usr/bin/env bash
# Fetches what the book's pages would otherwise ask other hosts for, from npm, at pinned versions, into
# book/_static/offline, and what their tests need, into tests/vendor. The result is committed; this is run only to move to a newer version.
set -euo pipefail
cd "$(dirname "$0")/../book/_static/offline"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() {  # NAME VERSION SHA256: the unpacked package at $work/package
    local file
    file=$(cd "$work" && npm pack --silent "$1@$2")
    echo "$3  $work/$file" | sha256sum --check --quiet
    rm -rf "$work/package"
    tar -xzf "$work/$file" -C "$work"
}

fetch mathjax 3.2.2 1b9c0a1c44df864e915690558e72adb9cc5203360daefd385084ced3b6c64c09
mkdir -p mathjax/output/chtml/fonts
cp "$work"/package/es5/tex-chtml.js "$work"/package/LICENSE mathjax/
cp -r "$work"/package/es5/output/chtml/fonts/woff-v2 mathjax/output/chtml/fonts/

# These two go only to pages with widgets. Neither package has a licence file: LICENSE beside them is kept by hand.
fetch requirejs 2.3.7 31f3330c978fb28684622fe71165dc946432cf0210b2ea8a1ca0233e70f2737d
mkdir -p requirejs
cp "$work"/package/require.js requirejs/

fetch @jupyter-widgets/html-manager 1.0.15 2b9d65cb7913e1c7d671757a10008b32c9c2448d4429513371e55c07d6107638
mkdir -p html-manager
cp "$work"/package/dist/embed-amd.js "$work"/package/dist/*.woff2 html-manager/
cp "$work"/package/dist/embed.js.LICENSE.txt html-manager/THIRD-PARTY-LICENSES.txt

# For the tests alone: the rules of WCAG.
fetch axe-core 4.14.1 e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
axe=../../../tests/vendor/axe-core
mkdir -p "$axe"
cp "$work"/package/axe.min.js "$work"/package/LICENSE "$work"/package/LICENSE-3RD-PARTY.txt "$axe"/

chmod -R u=rwX,go=rX . "$axe"
