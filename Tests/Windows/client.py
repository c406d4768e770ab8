"""Actions of other X clients on a window: closing it by message, covering it, taking the focus."""

import contextlib
import ctypes

from checks import claim


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 24)]


def library():
    x11 = ctypes.CDLL("libX11.so.6")
    for name, result in [("XOpenDisplay", ctypes.c_void_p), ("XDefaultRootWindow", ctypes.c_ulong),
                         ("XInternAtom", ctypes.c_ulong), ("XCreateSimpleWindow", ctypes.c_ulong)]:
        getattr(x11, name).restype = result
    return x11


@contextlib.contextmanager
def connection(display):
    x11 = library()
    opened = x11.XOpenDisplay(display.encode())
    claim(opened, f"no X server at {display}")
    opened = ctypes.c_void_p(opened)
    try:
        yield x11, opened
    finally:
        x11.XCloseDisplay(opened)


def close_window(display, window):
    """Asks a window to close, as a window manager does for its close button."""
    client_message = 33
    with connection(display) as (x11, opened):
        protocols, delete = (x11.XInternAtom(opened, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
        event = ClientMessage(type=client_message, window=window, message_type=protocols, format=32)
        event.data[0] = delete
        x11.XSendEvent(opened, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))


@contextlib.contextmanager
def cover(display, x, y, width, height):
    """Shows a window on top of the others, with the focus, until the end of `with`."""
    with connection(display) as (x11, opened):
        root = ctypes.c_ulong(x11.XDefaultRootWindow(opened))
        window = x11.XCreateSimpleWindow(opened, root, x, y, width, height, 0, 0, ctypes.c_ulong(0xFF00FF))
        window = ctypes.c_ulong(window)
        x11.XMapRaised(opened, window)
        x11.XSync(opened, 0)
        revert_to_pointer_root = 1
        x11.XSetInputFocus(opened, window, revert_to_pointer_root, ctypes.c_ulong(0))
        x11.XSync(opened, 0)
        yield window.value
        x11.XDestroyWindow(opened, window)
        x11.XSync(opened, 0)
