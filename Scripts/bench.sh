# Measuring. Sourced by run.sh.

# Prints the packages of the reference programs of the given benchmark subjects, or of all subjects if none is given. A
# subject without its reference program reports that.
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
  local wanted=" ${subjects[*]:-download fleet disk photos} "
  case "$wanted" in *" download "* | *" latency "*) echo curl openssl ;; esac
  case "$wanted" in *" disk "*) echo libsqlite3-0 ;; esac
  case "$wanted" in *" photos "*) echo libvips-tools ;; esac
  # With systemd, installing the package would start a server.
  [ -d /run/systemd/system ] && return
  case "$wanted" in *" download "* | *" latency "* | *" fleet "*) echo nginx-light ;; esac
}
