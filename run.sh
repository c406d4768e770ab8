#!/usr/bin/env bash
# Sets up what is missing, builds, and runs Vitrine. `./run.sh help` lists the words it knows.
set -euo pipefail
# What a caller names is meant from where they are.
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"

# What the library and the demo link, whom to trust over https, and a font to write with.
packages=(
  libsdl2-dev libsdl2-image-dev libsdl2-ttf-dev liblcms2-dev libcurl4-openssl-dev libxxhash-dev
  ca-certificates fonts-dejavu-core
)

usage() {
  cat <<'TEXT'
./run.sh [OPTION…]         build a release and start the demo; `./run.sh --help` lists its options
./run.sh test [FILTER] [-- SWIFT-TEST-OPTION…]
                           build and run every test, or those whose name matches FILTER;
                           VITRINE_CORPUS=FOLDER ./run.sh test Corpus decodes every file under FOLDER,
                           VITRINE_KILLS=300 ./run.sh test KilledWriter kills a writing process 300 times
./run.sh conformance       run every test and count which behaviours of the ancestors they show
./run.sh bench [SUBJECT…] [--json FILE]
                           measure a release beside what it is compared with; `./run.sh bench --help` lists the subjects
./run.sh fuzz SUBJECT SECONDS|FILE
                           feed made-up bytes to jpeg, png, webp, gif, exif, feed, script, or to what reads a server's
                           head, range, date or freshness, or stored (files of the disk cache);
                           or a finding again
./run.sh test-panel        boot an emulated machine without a display server, and see the demo on its panel
./run.sh test-windows      open windows of X11 and Wayland, and see the demo in them
./run.sh format            format the sources
./run.sh lint              say what is not formatted, and which public declaration has no comment
./run.sh docs              build the documentation into .build/docs; fails on a warning, or on a public symbol without
                           a comment
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
    [ -e /usr/include/SDL2/SDL_ttf.h ] && [ -e /usr/include/lcms2.h ] && [ -e /usr/include/xxhash.h ] && return
    say "run.sh: needs SDL2, SDL2_image, SDL2_ttf, libcurl, xxHash, libjpeg-turbo, libpng, libwebp, Little CMS 2 (with headers) and DejaVu fonts."
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
  "${install[@]}" "${missing[@]}" >/dev/null 2>&1 && return
  local complaint
  if ! complaint=$({ "${sudo[@]}" apt-get update && "${install[@]}" "${missing[@]}"; } 2>&1 >/dev/null); then
    say "run.sh: cannot install ${missing[*]}: $(grep -m 1 '^E: ' <<<"$complaint" || echo "apt-get fails")"
    exit 1
  fi
}

# Starts the checks of a folder of Tests, which are written in Python.
run_checks() {
  if ! command -v python3 >/dev/null 2>&1; then
    say "run.sh: Python 3 is needed."
    exit 1
  fi
  PYTHONPATH=Tests/Support exec python3 -B "Tests/$1"
}

# What the subjects that are asked for are compared with, beyond what is linked; all are asked for where none is named.
# A subject that misses it says so.
packages_to_compare_with() {
  local subjects=()
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) return ;;
      --json | --server | --runs) shift ;;
      -*) ;;
      *) subjects+=("$1") ;;
    esac
    [ $# -eq 0 ] || shift
  done
  case " ${subjects[*]:-download} " in *" download "* | *" latency "*) ;; *) return ;; esac
  echo curl openssl
  # Where systemd runs, installing it would start a server that nobody asked for.
  [ -d /run/systemd/system ] || echo nginx-light
}

# Builds a program's release unless nothing has changed since the last one.
build_release() {
  local program=.build/release/$1
  if [ -x "$program" ] && [ -z "$(find Package.swift Sources -newer "$program" -print -quit)" ]; then
    return
  fi
  need_swift
  say "run.sh: building"
  local log
  log=$(mktemp)
  if ! swift build -c release --product "$1" >"$log" 2>&1; then
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

# What the ancestors do, counted from a run of the tests; see Tests/Conformance.
count_conformance() {
  local events=.build/conformance.jsonl log=.build/conformance.log
  mkdir -p .build
  rm -f "$events"
  # A failed test only loses its own behaviours; the report is still written, and then ends with exit 1.
  local is_red=
  (run_tests -- --event-stream-output-path "$events") >"$log" 2>&1 || is_red=1
  if [ ! -s "$events" ]; then
    tail -n 20 "$log" >&2
    exit 1
  fi
  awk -f Tests/Conformance/count.awk Tests/Conformance/behaviours.tsv "$events" || exit 1
  if [ -n "$is_red" ]; then
    say "run.sh: tests failed; see $log"
    exit 1
  fi
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
  # They serve the tests of TLS and HTTP/2, of Digest and of proxies, which are skipped without them. Where systemd
  # runs, installing them would start servers that nobody asked for.
  [ -d /run/systemd/system ] || servers+=(nginx-light lighttpd tinyproxy)
  need_packages "${packages[@]}"
  (need_packages "${servers[@]}") || say "run.sh: the tests that need a server that is not there are skipped"
  export VITRINE_ASSETS="$PWD/Assets"
  case "${VITRINE_CORPUS:-/}" in /*) ;; *) export VITRINE_CORPUS="$caller/$VITRINE_CORPUS" ;; esac
  local option serial=()
  for option in "$@"; do
    case "$option" in
      # One after the other: the time limit of a test would count what it waits for slow neighbours.
      --sanitize*) serial=(--no-parallel) ;;&
      --sanitize=thread) show_mutexes_to_tsan ;;
      --sanitize=address) export LSAN_OPTIONS="suppressions=$PWD/Tests/Support/leaks-tests.txt:print_suppressions=0" ;;
    esac
  done
  # Many tests run the program. All of them at once would make each other wait until their time is over.
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}"
  unset DISPLAY WAYLAND_DISPLAY
  swift test --disable-xctest "${serial[@]}" "${filter[@]}" "$@" 2>&1 | repeat_failures
}

# Passes on what the tests print, and says again what failed just before the closing line: where only the end of a
# long output is kept, it is still there.
repeat_failures() {
  local line failures=()
  while IFS= read -r line; do
    case "$line" in
      "✘ Test run with "*) [ ${#failures[@]} -eq 0 ] || printf '%s\n' "${failures[@]}" ;;
      "✘ Test "*) failures+=("$line") ;;
    esac
    printf '%s\n' "$line"
  done
}

# Symbol graphs of modules that are built, into a folder.
extract_symbols() {
  local folder=$1 module target modules
  shift
  target=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)
  modules=$(swift build --show-bin-path)/Modules
  mkdir -p "$folder"
  for module in "$@"; do
    swift symbolgraph-extract -module-name "$module" -target "$target" -output-dir "$folder" \
      -I "$modules" -I Sources/CCurl -I Sources/CSDL -I Sources/CCodecs -I Sources/CHashing -I Sources/CTimers \
      -minimum-access-level public -skip-synthesized-members
  done
}

# The symbols of a folder of symbol graphs that have no comment, a line each; fails where there is no symbol at all.
undocumented() {
  # A symbol a line: the graph itself has no line ends.
  sed 's/{"kind":{"identifier":"swift\./\n&/g' "$1"/*.symbols.json | awk '
    index($0, "{\"kind\":{\"identifier\":\"swift.") == 1 {
      symbols++
      if (!index($0, "\"docComment\":") && !index($0, "::SYNTHESIZED::")) print
    }
    END { exit !symbols }' | sed 's/.*"pathComponents":\[\([^]]*\)\].*/\1/; s/","/./g; s/"//g' | sort
}

# One archive for all that `import Vitrine` gives, and one for VitrineTesting, put together.
build_docs() {
  local work=.build/docs-work archive=.build/docs target missing
  need_swift
  if ! command -v docc >/dev/null 2>&1; then
    say "run.sh: docc is missing: it comes with the toolchain of swift.org, beside swift."
    exit 1
  fi
  need_packages "${packages[@]}"
  for target in Vitrine VitrineTesting VitrineGalleryServer; do
    swift build --quiet --target "$target"
  done
  rm -rf "$work" "$archive"

  # A reader imports the umbrella, so there is one module to read about: the graphs get its name.
  local reexported
  mapfile -t reexported < <(sed -n 's/^@_exported public import //p' Sources/Vitrine/Exports.swift)
  extract_symbols "$work/symbols/Vitrine" Vitrine "${reexported[@]}"
  sed -i -E 's/"module":(\{"name":)?"Vitrine[A-Za-z]*"/"module":\1"Vitrine"/g' "$work"/symbols/Vitrine/*.json
  extract_symbols "$work/symbols/VitrineTesting" VitrineTesting
  extract_symbols "$work/symbols/VitrineGalleryServer" VitrineGalleryServer

  for target in Vitrine VitrineTesting VitrineGalleryServer; do
    missing=$(undocumented "$work/symbols/$target")
    if [ -n "$missing" ]; then
      say "run.sh: public and without a comment in $target:"
      say "$missing"
      exit 1
    fi
  done
  # An extension of another module's type belongs to that type, which is in the same module now.
  for target in "$work"/symbols/Vitrine/*@Vitrine*.json; do
    mv "$target" "${target/@Vitrine/-of-}"
  done

  docc convert Sources/Vitrine/Vitrine.docc --additional-symbol-graph-dir "$work/symbols/Vitrine" \
    --output-dir "$work/Vitrine.doccarchive" --warnings-as-errors | awk NF >&2
  docc convert --additional-symbol-graph-dir "$work/symbols/VitrineTesting" \
    --fallback-display-name VitrineTesting --fallback-bundle-identifier VitrineTesting \
    --output-dir "$work/VitrineTesting.doccarchive" --warnings-as-errors | awk NF >&2
  docc merge "$work/Vitrine.doccarchive" "$work/VitrineTesting.doccarchive" --output-path "$archive" \
    --synthesized-landing-page-name Vitrine
  say "run.sh: the documentation is in $archive; any web server shows it, at /documentation/vitrine"
}

# A program of libFuzzer and the code under test, built for both to see each branch and each access of it.
build_fuzzer() {
  need_swift
  say "run.sh: building"
  local clang library log
  clang="$(dirname "$(command -v swift)")/clang"
  library=$("$clang" --print-file-name="libclang_rt.fuzzer_no_main-$(uname -m).a")
  log=$(mktemp)
  # Only the compiler is told of the fuzzer: the linker would bring a second main for it.
  if ! VITRINE_FUZZ=1 swift build -c release --product Fuzz --scratch-path .build/fuzz-build \
    --sanitize address -Xswiftc -Xfrontend -Xswiftc -sanitize=address,fuzzer \
    -Xswiftc -enable-testing -Xlinker "$library" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}

fuzz() {
  local seeds=Tests/Fuzz/Seeds
  local subject="${1:-}" amount="${2:-}"
  if [ $# -ne 2 ] || [[ ! $subject =~ ^[a-z]+$ ]] || [ ! -d "$seeds/$subject" ]; then
    say "run.sh: fuzz SUBJECT SECONDS, or a finding's file in place of seconds; there are $(ls -x "$seeds" | xargs)"
    exit 2
  fi
  [ ! -f "$caller/$amount" ] || amount="$caller/$amount"
  if [ ! -f "$amount" ] && [[ ! $amount =~ ^[1-9][0-9]{0,6}$ ]]; then
    say "run.sh: for how many seconds is $subject to be fuzzed? “$amount” is no such number, and no file"
    exit 2
  fi
  need_packages "${packages[@]}"
  build_fuzzer
  local findings="$PWD/.build/fuzz/findings" corpus=.build/fuzz/$subject log=.build/fuzz/$subject.log length=4096
  case "$subject" in exif | feed | script | head | range | date | freshness) length=512 ;; esac
  mkdir -p "$findings" "$corpus"
  export SWIFT_BACKTRACE=enable=no
  local fuzzer=(.build/fuzz-build/release/Fuzz "$subject" -timeout=10 -rss_limit_mb=1024)
  if [ -f "$amount" ]; then
    "${fuzzer[@]}" "$amount" || exit 1
    return
  fi
  say "run.sh: fuzzing $subject for $amount s"
  if ! "${fuzzer[@]}" -max_total_time="$amount" -max_len="$length" -print_final_stats=1 \
    -dict="Tests/Fuzz/Dictionaries/$subject.txt" -artifact_prefix="$findings/$subject-" \
    "$corpus" "$seeds/$subject" >"$log" 2>&1; then
    local finding
    finding=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    grep -v '^#[0-9]' "$log" | tail -n 60 >&2
    say "run.sh: a finding; again with: ./run.sh fuzz $subject ${finding:-(no file was written; see $log)}"
    exit 1
  fi
  local executions features
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  features=$(sed -n 's/.* ft: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  echo "$subject: $executions executions, $features coverage features, no finding"
}

# The program on an emulated machine: QEMU, what the machine's disk is made with, and what Mesa draws with there.
run_panel_tests() {
  need_swift
  need_packages "${packages[@]}" qemu-system-x86 busybox-static cpio python3 \
    libgl1 libgl1-mesa-dri libegl1 libgbm1 libgles2
  build_release vitrine
  run_checks Panel/test_panel.py
}

# The program in real windows: an X server and a compositor without a screen, and what uses and looks at them.
run_window_tests() {
  need_swift
  need_packages "${packages[@]}" xvfb xdotool imagemagick weston python3
  build_release vitrine
  run_checks Windows/test_windows.py
}

case "${1:-}" in
  test)
    shift
    run_tests "$@"
    ;;
  conformance)
    count_conformance
    ;;
  bench)
    shift
    need_packages "${packages[@]}" $(packages_to_compare_with "$@")
    build_release vitrine-bench
    exec .build/release/vitrine-bench "$@"
    ;;
  fuzz)
    shift
    fuzz "$@"
    ;;
  test-panel)
    run_panel_tests
    ;;
  test-windows)
    run_window_tests
    ;;
  format)
    need_swift
    exec swift format format --in-place --recursive Sources Tests Package.swift
    ;;
  lint)
    need_swift
    exec swift format lint --strict --recursive Sources Tests Package.swift
    ;;
  docs)
    build_docs
    ;;
  help)
    usage
    ;;
  *)
    need_packages "${packages[@]}"
    build_release vitrine
    export VITRINE_ASSETS="${VITRINE_ASSETS:-$PWD/Assets}"
    program=$PWD/.build/release/vitrine
    cd "$caller"
    exec "$program" "$@"
    ;;
esac
