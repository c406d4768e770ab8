# Checks of the sources' form. Sourced by run.sh.

# Fails if a source is not formatted. Lists comments that deserve another look, without failing.
lint() {
  need_swift
  git ls-files 'Sources/*.swift' 'Tests/*.swift' 2>/dev/null | xargs -r awk -f Scripts/prose.awk >&2
  swift format lint --strict --recursive Sources Tests Package.swift
}
