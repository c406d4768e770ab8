# The pictures of the README and the documentation. Sourced by run.sh.

# Draws the chart of ratios, and records the pictures that tests compare with what the program draws, and the moving
# picture (moving).
# DemoPicturesTests: home, viewer, list, grid, buttons, transitions, indicators, overlay.
# DrawnPicturesTests: first-screen, trace.
record_pictures() {
  draw_ratios
  need_packages "${packages[@]}" webp
  VITRINE_RECORD_GOLDEN=1 run_tests 'DemoPicturesTests|DrawnPicturesTests'
  build_release vitrine
  record_moving_picture
}

# Draws the chart of the README from the ratios of the benchmarks.
draw_ratios() {
  local file=Sources/Vitrine/Vitrine.docc/Resources/ratios.svg
  awk -f Scripts/ratios.awk Sources/Benchmarks/ratios.tsv >"$file"
  say "run.sh: drew $file"
}

# Plays a script that takes a screenshot of each frame, and joins the frames to an animated WebP.
record_moving_picture() {
  local folder file="$PWD/Sources/Vitrine/Vitrine.docc/Resources/moving.webp"
  folder=$(mktemp -d)
  cp Assets/pictures/moving.script "$folder"
  (
    cd "$folder"
    VITRINE_ASSETS="$OLDPWD/Assets" "$OLDPWD/.build/release/vitrine" --video offscreen --renderer software \
      --latency 0 --size 640x400 --chrome off --screen home --no-disk-cache --script moving.script 2>/dev/null
    # Key frames only: a frame that has only the blocks that changed leaves traces of the frame before.
    img2webp -loop 0 -kmin 0 -kmax 1 -lossy -q 70 -m 6 -d 70 frame-*.png -o "$file"
  ) || {
    say "run.sh: the moving picture cannot be recorded; its frames are in $folder"
    exit 1
  }
  rm -rf "$folder"
  say "run.sh: recorded $file"
}
