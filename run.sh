#!/usr/bin/env bash
# Sets up what is missing, builds, and runs Vitrine. `./run.sh help` lists the words it knows.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"

# What the library and the demo link, and a font to write with.
packages=(libsdl2-dev libsdl2-image-dev libsdl2-ttf-dev libcurl4-openssl-dev fonts-dejavu-core)

usage() {
  cat <<'TEXT'
./run.sh [OPTION…]         build a release and start the demo; `./run.sh --help` lists its options
./run.sh test [FILTER] [-- SWIFT-TEST-OPTION…]
                           build and run every test, or those whose name matches FILTER
./run.sh format            format the sources
./run.sh lint              say what is not formatted
./run.sh help              this text
TEXT
}

say() { printf '%s\n' "$*" >&2; }

need_swift() {
  # Debian has no Swift package; the usual places of the toolchain's archive are tried too.
  if ! command -v swift >/dev/null 2>&1; then
    for place in /opt/swift/usr/bin /usr/libexec/swift/bin "$HOME/.local/share/swiftly/bin"; do
      if [ -x "$place/swift" ]; then
        export PATH="$place:$PATH"
        return
      fi
    done
    say "run.sh: Swift 6.2 or newer is needed: install it from https://swift.org/install/linux and run this again."
    exit 1
  fi
}

need_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null 2>&1; then
    # Another distribution: say what is needed once the headers are not there, and leave the rest to the compiler.
    [ -e /usr/include/SDL2/SDL_ttf.h ] && return
    say "run.sh: needs SDL2, SDL2_image, SDL2_ttf, libcurl, libjpeg-turbo, libpng, libwebp (with headers) and DejaVu fonts."
    exit 1
  fi
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      sudo=(sudo)
    else
      say "run.sh: packages are missing; as root: apt-get install --no-install-recommends ${missing[*]}"
      exit 1
    fi
  fi
  say "run.sh: installing ${missing[*]}"
  local install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends)
  # A machine that has never asked for package lists finds nothing, or an old version that is gone.
  if ! "${install[@]}" "${missing[@]}" >/dev/null 2>&1; then
    "${sudo[@]}" apt-get update >/dev/null
    "${install[@]}" "${missing[@]}" >/dev/null
  fi
}

# Builds the release unless nothing has changed since the last one.
build_release() {
  local program=.build/release/vitrine
  if [ -x "$program" ] && [ -z "$(find Package.swift Sources -newer "$program" -print -quit)" ]; then
    return
  fi
  need_swift
  say "run.sh: building"
  local log
  log=$(mktemp)
  if ! swift build -c release --product vitrine >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
  # A build that had nothing to link leaves the old time stamp.
  touch "$program"
}

# ThreadSanitizer sees races that are none in a contended Mutex; Tests/Support/tsan_mutex.c says why.
show_mutexes_to_tsan() {
  local library="$PWD/.build/tsan_mutex.so" clang
  clang="$(dirname "$(command -v swift)")/clang"
  mkdir -p .build
  "$clang" -shared -fPIC -O1 Tests/Support/tsan_mutex.c -o "$library" -ldl
  export LD_PRELOAD="$library"
}

run_tests() {
  local filter=()
  if [ $# -gt 0 ] && [ "$1" != "--" ]; then
    filter=(--filter "$1")
    shift
  fi
  [ "${1:-}" = "--" ] && shift
  need_swift
  local servers=(openssl)
  # nginx serves the tests of TLS and HTTP/2, which are skipped without it. Where systemd runs, installing it
  # would start a server that nobody asked for.
  [ -d /run/systemd/system ] || servers+=(nginx-light)
  need_packages "${packages[@]}" "${servers[@]}"
  export VITRINE_ASSETS="$PWD/Assets"
  local option
  for option in "$@"; do
    case "$option" in --sanitize=thread) show_mutexes_to_tsan ;; esac
  done
  unset DISPLAY WAYLAND_DISPLAY
  exec swift test --disable-xctest "${filter[@]}" "$@"
}

case "${1:-}" in
  test)
    shift
    run_tests "$@"
    ;;
  format)
    need_swift
    exec swift format format --in-place --recursive Sources Tests Package.swift
    ;;
  lint)
    need_swift
    exec swift format lint --strict --recursive Sources Tests Package.swift
    ;;
  help)
    usage
    ;;
  *)
    need_packages "${packages[@]}"
    build_release
    export VITRINE_ASSETS="${VITRINE_ASSETS:-$PWD/Assets}"
    # Names of files are the caller's, wherever that is.
    program=$PWD/.build/release/vitrine
    cd "$caller"
    exec "$program" "$@"
    ;;
esac
