#!/usr/bin/env bash
# Installs Lariat on a runner: the archive of the release that the workflow names, or a build of this source.
set -euo pipefail

if command -v lariat; then
    exit 0
fi
bin=$RUNNER_TEMP/lariat/bin
mkdir -p "$bin"
archive=lariat-${LARIAT_RELEASE#v}-$(uname -m)-unknown-linux-gnu.tar.gz
address=$LARIAT_REPOSITORY/releases/download/$LARIAT_RELEASE/$archive
if curl --fail --silent --show-error --location --retry 2 --output "$bin/$archive" "$address" &&
    curl --fail --silent --show-error --location --retry 2 --output "$bin/$archive.sha256" "$address.sha256"; then
    (cd "$bin" && sha256sum --check "$archive.sha256" && tar -xzf "$archive" --strip-components 1)
else
    echo "There is no archive for this machine at $address: building from source."
    cargo install --locked --path "$GITHUB_ACTION_PATH/../crates/cli" --root "${bin%/bin}"
fi
echo "$bin" >>"$GITHUB_PATH"
