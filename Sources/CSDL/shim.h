#pragma once
#include <SDL2/SDL.h>
#include <SDL2/SDL_image.h>
#include <SDL2/SDL_ttf.h>
#include <linux/input.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// If this macro is defined, SDL_syswm.h includes X11's headers, which declare Window, Font and Screen.
#undef SDL_VIDEO_DRIVER_X11
#include <SDL2/SDL_syswm.h>

// libdispatch's interface for other run loops on Linux. Exported by the library, but declared in no public header.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);

/// Returns a window's X11 Display or Wayland wl_display, and sets `kind` accordingly; NULL with other video drivers.
static inline void *vitrine_native_display(SDL_Window *window, SDL_SYSWM_TYPE *kind) {
  SDL_SysWMinfo info;
  SDL_VERSION(&info.version);
  if (!SDL_GetWindowWMInfo(window, &info)) return NULL;
  *kind = info.subsystem;
  if (*kind != SDL_SYSWM_X11 && *kind != SDL_SYSWM_WAYLAND) return NULL;
  void *display;  // The first member in both cases.
  SDL_memcpy(&display, &info.info, sizeof display);
  return display;
}

/// Calls `ppoll` without a signal mask. Swift's Glibc module does not import `ppoll`. A NULL `timeout` waits without a
/// limit.
static inline int vitrine_poll(struct pollfd *descriptors, unsigned long count, const struct timespec *timeout) {
  struct timespec copy;  // The kernel writes the remaining time into the timeout.
  if (timeout) copy = *timeout;
  return (int)syscall(SYS_ppoll, descriptors, count, timeout ? &copy : NULL, NULL, 0);
}

// Requests to input devices: EVIOCGBIT reads the set of a device's keys, EVIOCGRAB grabs a device. Swift does not
// import macros with parameters.
static const long vitrine_keys_byte_count = KEY_CNT / 8;
static const unsigned long vitrine_keys_request = EVIOCGBIT(EV_KEY, KEY_CNT / 8);
static const unsigned long vitrine_grab_request = EVIOCGRAB;

static inline SDL_bool vitrine_is_main_thread(void) { return getpid() == (pid_t)syscall(SYS_gettid); }
