# Setting up a machine and building a program. Sourced by run.sh.

# The linked libraries, the certificate authorities for https, and a font.
packages=(
  libsdl2-dev libsdl2-image-dev libsdl2-ttf-dev liblcms2-dev libcurl4-openssl-dev libxxhash-dev
  ca-certificates fonts-dejavu-core
)

say() { printf '%s\n' "$*" >&2; }

need_swift() {
  # Debian has no Swift package, so the usual locations of an unpacked toolchain are searched as well.
  if ! command -v swift >/dev/null 2>&1; then
    for folder in /opt/swift/usr/bin /usr/libexec/swift/bin "$HOME/.local/share/swiftly/bin"; do
      if [ -x "$folder/swift" ]; then
        export PATH="$folder:$PATH"
        return
      fi
    done
    say "run.sh: Swift 6.2 or newer is missing; install it from https://swift.org/install/linux and try again"
    exit 1
  fi
}

need_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null 2>&1; then
    # On another distribution, only three headers are checked; the compiler reports what else is missing.
    [ -e /usr/include/SDL2/SDL_ttf.h ] && [ -e /usr/include/lcms2.h ] && [ -e /usr/include/xxhash.h ] && return
    say "run.sh: needs SDL2, SDL2_image, SDL2_ttf, libcurl, xxHash, libjpeg-turbo, libpng, libwebp, Little CMS 2 (with headers) and DejaVu fonts"
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
      say "run.sh: packages are missing; run as root: apt-get install --no-install-recommends ${missing[*]}"
      exit 1
    fi
  fi
  say "run.sh: installing ${missing[*]}"
  local install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends)
  # Without current package lists, apt-get finds no package or an old version that the server no longer has.
  "${install[@]}" "${missing[@]}" >/dev/null 2>&1 && return
  local complaint
  if ! complaint=$({ "${sudo[@]}" apt-get update && "${install[@]}" "${missing[@]}"; } 2>&1 >/dev/null); then
    say "run.sh: cannot install ${missing[*]}: $(grep -m 1 '^E: ' <<<"$complaint" || echo "apt-get failed")"
    exit 1
  fi
}

# Prints the option that links Swift's libraries into a program, unless the toolchain lacks the static libraries. A
# program then starts on machines without Swift, and takes up to an eighth less processor time and 3 MB less memory.
static_swift() {
  local folder
  folder=$(swiftc -print-target-info -static-stdlib 2>/dev/null | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
  if [ -e "$folder/linux/libswiftCore.a" ]; then echo --static-swift-stdlib; fi
}

# Builds a release of a program if a source is newer than the program.
build_release() {
  local program=.build/release/$1
  if [ -x "$program" ] && [ -z "$(find Package.swift Sources -newer "$program" -print -quit)" ]; then
    return
  fi
  need_swift
  say "run.sh: building"
  local log options
  log=$(mktemp)
  mapfile -t options < <(static_swift)
  if ! swift build -c release --product "$1" "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
  # A build that links nothing leaves the old time stamp.
  touch "$program"
}

# Runs a Python test below Tests.
run_checks() {
  if ! command -v python3 >/dev/null 2>&1; then
    say "run.sh: Python 3 is missing"
    exit 1
  fi
  PYTHONPATH=Tests/Support exec python3 -B "Tests/$1"
}
