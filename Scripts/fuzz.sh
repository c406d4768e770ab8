# Fuzzing. Sourced by run.sh.

# Builds a program from libFuzzer and the code under test, with coverage and the address sanitizer.
build_fuzzer() {
  need_swift
  say "run.sh: building"
  local clang library log
  clang="$(dirname "$(command -v swift)")/clang"
  library=$("$clang" --print-file-name="libclang_rt.fuzzer_no_main-$(uname -m).a")
  log=$(mktemp)
  # Only the compiler gets `-sanitize=fuzzer`: the linker would add a second main.
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
    say "run.sh: usage: fuzz SUBJECT SECONDS, or the file of a finding in place of SECONDS; the subjects are $(ls -x "$seeds" | xargs)"
    exit 2
  fi
  [ ! -f "$caller/$amount" ] || amount="$caller/$amount"
  if [ ! -f "$amount" ] && [[ ! $amount =~ ^[1-9][0-9]{0,6}$ ]]; then
    say "run.sh: “$amount” is neither a number of seconds nor a file"
    exit 2
  fi
  need_packages "${packages[@]}"
  build_fuzzer
  local findings="$PWD/.build/fuzz/findings" corpus=.build/fuzz/$subject log=.build/fuzz/$subject.log length=4096
  case "$subject" in exif | feed | script | head | range | date | freshness | multipart | playback) length=512 ;; esac
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
    say "run.sh: a finding; repeat it with: ./run.sh fuzz $subject ${finding:-(no file was written; see $log)}"
    exit 1
  fi
  local executions features
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  features=$(sed -n 's/.* ft: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  echo "$subject: $executions executions, $features coverage features, no finding"
}
