#!/usr/bin/env bash
# Builds the fuzz targets for ClusterFuzzLite. Each tries its inputs as every format, and begins with all fixtures and seeds.
set -euo pipefail
cd "$SRC/enginewire"

cargo fuzz build --sanitizer "${SANITIZER:-address}" --codegen-units 64
zip -qr "$OUT/seeds.zip" fuzz/seeds fixtures
for target in $(cargo fuzz list); do
    cp "${CARGO_TARGET_DIR:-fuzz/target}/x86_64-unknown-linux-gnu/release/$target" "$OUT"
    cp "$OUT/seeds.zip" "$OUT/${target}_seed_corpus.zip"
done
rm "$OUT/seeds.zip"
