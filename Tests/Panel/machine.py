"""The disk of the emulated machine: a Debian kernel, busybox, the program and its libraries."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
CACHE = PROJECT / ".build/panel"
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")

# The drivers of the panels, the keyboard, the mouse, the simulated touch panel and gamepad, and the disk.
MODULES = ["virtio_pci", "virtio-gpu", "virtio_input", "psmouse", "evdev", "uinput", "virtio_blk", "crc32c_generic",
           "ext4"]

# SDL and Mesa open these libraries by name, so `ldd` of the program does not list them.
LOADED_LATER = ["libEGL.so.1", "libEGL_mesa.so.0", "libgbm.so.1", "libGL.so.1", "libGLX_mesa.so.0", "libGLESv2.so.2",
                "libudev.so.1", "libdrm.so.2", "dri/kms_swrast_dri.so"]
FONTS = Path("/usr/share/fonts/truetype/dejavu")
VENDORS = Path("/usr/share/glvnd/egl_vendor.d/50_mesa.json")


def run(*words, **options):
    words = [str(word) for word in words]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **options).stdout


def kernel():
    """Returns the folder of an unpacked Debian kernel, downloaded once and not installed."""
    folder = CACHE / "kernel"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # This package only depends on the package of the current version.
        depends = run("apt-cache", "depends", "linux-image-amd64").splitlines()
        package = next((line.split()[1] for line in depends if "Depends: linux-image-" in line), None)
        if not package:
            raise SystemExit("test-panel: apt has no package linux-image-amd64; apt-get update may help")
        run("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package, cwd=folder)
        archive = next(folder.glob("*.deb"))
        run("dpkg", "-x", archive, folder)
        archive.unlink()
        release = next((folder / "lib/modules").iterdir()).name
        run("busybox", "depmod", "-b", folder, release)
        (folder / "complete").touch()
    return folder


def modules(folder):
    """Returns the files of the modules and of their dependencies, in the order of loading."""
    base = next((folder / "lib/modules").iterdir())
    needs = {}
    for line in (base / "modules.dep").read_text().splitlines():
        file, _, rest = line.partition(":")
        needs[file] = rest.split()
    by_name = {Path(file).name.removesuffix(".ko"): file for file in needs}
    ordered = []

    def add(file):
        for needed in needs[file]:
            add(needed)
        if file not in ordered:
            ordered.append(file)

    built_in = {Path(file).stem for file in (base / "modules.builtin").read_text().split()}
    for name in MODULES:
        if name not in built_in:
            add(by_name[name])
    return [base / file for file in ordered]


def libraries(program):
    """Returns the paths of all libraries that the program or Mesa loads."""
    found = {"/lib64/ld-linux-x86-64.so.2"}
    opened = [LIBRARIES / name for name in LOADED_LATER]
    for file in [program, *opened]:
        for line in run("ldd", file).splitlines():
            path = next((word for word in line.split() if word.startswith("/")), None)
            if path:
                found.add(path)
    return sorted(found | {str(path) for path in opened})


def pack(root, archive):
    """Writes a folder to an archive that the kernel unpacks into memory when it boots."""
    names = run("find", ".", cwd=root)
    with open(archive, "wb") as file:
        words = ["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"]
        subprocess.run(words, check=True, cwd=root, input=names.encode(), stdout=file)


def copy(source, root, path=None):
    target = root / str(path or source).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def base_archive(program):
    """Returns the archive without the program and the test's own files. Packs it again only if a library or the kernel has
    changed."""
    wanted = libraries(program)
    kernel_modules = modules(kernel())
    files = [*wanted, "/bin/busybox", VENDORS, *sorted(FONTS.glob("*.ttf"))]
    states = [(file, os.stat(file).st_size, os.stat(file).st_mtime_ns) for file in map(str, files)]
    key = f"{Path(__file__).read_text()}\n{states}\n{kernel_modules}"
    archive = CACHE / f"base-{hashlib.sha256(key.encode()).hexdigest()[:16]}.cpio"
    if archive.exists():
        return archive
    for old in CACHE.glob("base-*.cpio"):
        old.unlink()

    root = CACHE / "root"
    shutil.rmtree(root, ignore_errors=True)
    # As in Debian, /bin, /lib and /lib64 are links into /usr.
    for name in ["bin", "lib", "lib64"]:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for file in files:
        copy(file, root)
    # Mesa has one file under several names, one for each driver.
    for driver in (LIBRARIES / "dri").glob("*_dri.so"):
        link = root / str(driver).lstrip("/")
        if not link.exists():
            link.symlink_to("kms_swrast_dri.so")
    names = []
    for module in kernel_modules:
        copy(module, root, f"modules/{module.name}")
        names.append(module.name)
    (root / "modules/order").write_text("\n".join(names) + "\n")
    pack(root, archive.with_suffix(".new"))
    archive.with_suffix(".new").rename(archive)
    shutil.rmtree(root)
    return archive


def compiler():
    beside_swift = Path(shutil.which("swift") or "/opt/swift/usr/bin/swift").resolve().parent / "clang"
    return beside_swift if beside_swift.exists() else "cc"


def disk(program):
    """Returns the complete archive for `qemu -initrd`."""
    base = base_archive(program)
    root = CACHE / "own"
    shutil.rmtree(root, ignore_errors=True)
    copy(HERE / "init", root, "init")
    copy(HERE / "console", root, "usr/bin/console")
    copy(program, root, "usr/bin/vitrine")
    shutil.copytree(PROJECT / "Assets", root / "usr/share/vitrine",
                    ignore=shutil.ignore_patterns("screenshots", "*.py"))
    run(compiler(), "-O1", "-Wall", "-Werror", HERE / "device.c", "-o", root / "usr/bin/device")
    own = CACHE / "own.cpio"
    pack(root, own)
    shutil.rmtree(root)
    whole = CACHE / "initrd.cpio"
    with open(whole, "wb") as target:
        for part in [base, own]:
            with open(part, "rb") as source:
                shutil.copyfileobj(source, target, 1 << 20)
    return whole


def kernel_image():
    return next((kernel() / "boot").glob("vmlinuz-*"))
