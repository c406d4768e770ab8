# The tests on an emulated machine and in windows. Sourced by run.sh.

# Tests the program on an emulated machine, and on two boots of it, the second without a server. Needs QEMU, the tools
# that make the machine's disks, and Mesa's libraries.
run_panel_tests() {
  need_swift
  need_packages "${packages[@]}" qemu-system-x86 busybox-static cpio e2fsprogs python3 \
    libgl1 libgl1-mesa-dri libegl1 libgbm1 libgles2
  build_release vitrine
  run_checks Panel/test_panel.py
}

# Tests the program in windows of an X server and a compositor without a screen, with tools for input and screenshots.
run_window_tests() {
  need_swift
  need_packages "${packages[@]}" xvfb xdotool imagemagick weston python3
  build_release vitrine
  run_checks Windows/test_windows.py
}
