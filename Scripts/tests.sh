# The tests and the count of behaviours. Sourced by run.sh.

# ThreadSanitizer reports false races in a contended Mutex; Tests/Support/tsan_mutex.c has the reason.
show_mutexes_to_tsan() {
  local library="$PWD/.build/tsan_mutex.so" clang
  clang="$(dirname "$(command -v swift)")/clang"
  mkdir -p .build
  "$clang" -shared -fPIC -O1 Tests/Support/tsan_mutex.c -o "$library" -ldl
  export LD_PRELOAD="$library"
}

# Compiles the sources of the fuzzers without building them, which would take minutes. Call after a debug build.
check_fuzzers() {
  local options=() map name
  while IFS= read -r map; do options+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find Sources Tests .build/debug/*.build -name module.modulemap
  )
  name=$(sed -nE 's/.*"-package-name","([^"]*)".*/\1/p' .build/debug.yaml | head -n 1)
  find Tests/Fuzz -name '*.swift' -exec swiftc -typecheck -swift-version 6 -package-name "$name" \
    -I .build/debug/Modules "${options[@]}" {} +
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
  # For the tests of TLS and HTTP/2, of Digest, of proxies, and of many displays behind a cache. With systemd,
  # installing the packages would start the servers, so there the tests are skipped if the servers are missing.
  [ -d /run/systemd/system ] || servers+=(nginx-light lighttpd tinyproxy squid)
  need_packages "${packages[@]}"
  (need_packages "${servers[@]}") || say "run.sh: tests that need a missing server are skipped or fail"
  export VITRINE_ASSETS="$PWD/Assets"
  case "${VITRINE_CORPUS:-/}" in /*) ;; *) export VITRINE_CORPUS="$caller/$VITRINE_CORPUS" ;; esac
  local option serial=()
  for option in "$@"; do
    case "$option" in
      # Tests run one after the other: parallel tests under a sanitizer would exceed each other's time limits.
      --sanitize*) serial=(--no-parallel) ;;&
      --sanitize=thread) show_mutexes_to_tsan ;;
      --sanitize=address) export LSAN_OPTIONS="suppressions=$PWD/Tests/Support/leaks-tests.txt:print_suppressions=0" ;;
    esac
  done
  # Many tests start the program. If all of them ran at once, they would exceed their time limits.
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}"
  # Decoding and drawing without optimization would take most of the time.
  export VITRINE_OPTIMIZE_DEBUG=1
  unset DISPLAY WAYLAND_DISPLAY
  if [ ${#filter[@]} -eq 0 ] && [ $# -eq 0 ]; then
    swift build --build-tests --disable-xctest && check_fuzzers || return 1
  fi
  swift test --disable-xctest "${serial[@]}" "${filter[@]}" "$@" 2>&1 | repeat_failures
}

# Prints the output of the tests, and repeats the failures before the last line, so that they are visible at the end of
# a long output.
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

# Counts the behaviours of AFNetworking, SDWebImage and YYWebImage that a run of the tests shows; see Tests/Conformance.
count_conformance() {
  local events=.build/conformance.jsonl log=.build/conformance.log
  mkdir -p .build
  rm -f "$events"
  # A failed test only loses its own behaviours. The report is printed nevertheless, and the exit code is then 1.
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
