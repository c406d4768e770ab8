# The documentation. Sourced by run.sh.

# Extracts the symbol graphs of built modules into a folder.
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

# Prints the symbols without a comment in a folder of symbol graphs, one per line. Fails if there is no symbol at all.
undocumented() {
  # One symbol per line, because the graph itself has no line breaks.
  sed 's/{"kind":{"identifier":"swift\./\n&/g' "$1"/*.symbols.json | awk '
    index($0, "{\"kind\":{\"identifier\":\"swift.") == 1 {
      symbols++
      if (!index($0, "\"docComment\":") && !index($0, "::SYNTHESIZED::")) print
    }
    END { exit !symbols }' | sed 's/.*"pathComponents":\[\([^]]*\)\].*/\1/; s/","/./g; s/"//g' | sort
}

# Builds an archive of everything that `import Vitrine` imports and an archive of VitrineTesting, and merges both.
build_docs() {
  local work=.build/docs-work archive=.build/docs target missing
  need_swift
  if ! command -v docc >/dev/null 2>&1; then
    say "run.sh: docc is missing; the toolchains of swift.org have it, beside swift"
    exit 1
  fi
  need_packages "${packages[@]}"
  for target in Vitrine VitrineTesting; do
    swift build --quiet --target "$target"
  done
  rm -rf "$work" "$archive"

  # Programs import only the umbrella module, so all symbol graphs get its name.
  local reexported
  mapfile -t reexported < <(sed -n 's/^@_exported public import //p' Sources/Vitrine/Exports.swift)
  extract_symbols "$work/symbols/Vitrine" Vitrine "${reexported[@]}"
  sed -i -E 's/"module":(\{"name":)?"Vitrine[A-Za-z]*"/"module":\1"Vitrine"/g' "$work"/symbols/Vitrine/*.json
  extract_symbols "$work/symbols/VitrineTesting" VitrineTesting

  for target in Vitrine VitrineTesting; do
    missing=$(undocumented "$work/symbols/$target")
    if [ -n "$missing" ]; then
      say "run.sh: public symbols without a comment in $target:"
      say "$missing"
      exit 1
    fi
  done
  # Extensions of a type of another module belong to that type, because all graphs have one module name now.
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
  say "run.sh: the documentation is in $archive; serve the folder with a web server and open /documentation/vitrine"
}
