# Sourced by the scripts of this directory: strict mode, the repository root as working directory, and shared settings.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
logs=$target/ci

# A target directory that these scripts create is built once: it needs no incremental state and no line tables.
# The marker file keeps these settings for later calls, which would otherwise rebuild everything.
if [ ! -d "$target" ] || [ -e "$logs/from-clean" ]; then
    mkdir -p "$logs"
    touch "$logs/from-clean"
    export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false
fi
mkdir -p "$logs"

# Where `.ci/install` puts programs.
tools=$logs/tools
PATH=$PATH:$tools/bin

minimum_rust() {
    sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml
}

# Reports a check that is not made, and the reason. `.ci/run` repeats these lines in its summary.
skip() {
    echo "skipped: $*"
}

fail() {
    echo "$*"
    exit 1
}

installed() {
    command -v "$1" >/dev/null
}
