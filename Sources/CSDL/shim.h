#pragma once
#include <SDL2/SDL.h>
#include <SDL2/SDL_image.h>
#include <SDL2/SDL_ttf.h>
#include <linux/input.h>
#include <malloc.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// With this defined, SDL_syswm.h would bring X11's Window, Font and Screen along.
#undef SDL_VIDEO_DRIVER_X11
#include <SDL2/SDL_syswm.h>

// What run loops other than libdispatch's own call on Linux. Exported, but in no public header.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);

/// The Display of X11 or the wl_display of Wayland behind a window, and which of them; null with other drivers.
static inline void *vitrine_native_display(SDL_Window *window, SDL_SYSWM_TYPE *kind) {
  SDL_SysWMinfo info;
  SDL_VERSION(&info.version);
  if (!SDL_GetWindowWMInfo(window, &info)) return NULL;
  *kind = info.subsystem;
  if (*kind != SDL_SYSWM_X11 && *kind != SDL_SYSWM_WAYLAND) return NULL;
  void *display;  // Both kinds have it first.
  SDL_memcpy(&display, &info.info, sizeof display);
  return display;
}

/// `ppoll` without a signal mask; Swift's Glibc does not show it.
static inline int vitrine_poll(struct pollfd *descriptors, unsigned long count, const struct timespec *timeout) {
  struct timespec copy;  // The kernel writes the rest into it.
  if (timeout) copy = *timeout;
  return (int)syscall(SYS_ppoll, descriptors, count, timeout ? &copy : NULL, NULL, 0);
}

/// `recvmsg` with the descriptors that came along: returns the number of bytes, and sets that of descriptors, 28 at
/// most, which is what Wayland sends at once.
static inline ssize_t vitrine_receive(int socket, void *bytes, size_t size, int *descriptors, size_t *count) {
  struct iovec part = {bytes, size};
  union {
    struct cmsghdr head;
    char space[CMSG_SPACE(28 * sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  struct cmsghdr *head = received > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  *count = 0;
  if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
    *count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    SDL_memcpy(descriptors, CMSG_DATA(head), *count * sizeof(int));
  }
  return received;
}

/// `sendmsg` with descriptors, 28 at most.
static inline ssize_t vitrine_send(int socket, const void *bytes, size_t size, const int *descriptors, size_t count) {
  struct iovec part = {(void *)bytes, size};
  union {
    struct cmsghdr head;
    char space[CMSG_SPACE(28 * sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 0 && count <= 28) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(count * sizeof(int));
    SDL_memcpy(CMSG_DATA(&control.head), descriptors, count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

// Of an input device: which keys it has, and to have its events alone. Macros with parameters, which Swift does not see.
static const long vitrine_keys_byte_count = KEY_CNT / 8;
static const unsigned long vitrine_keys_request = EVIOCGBIT(EV_KEY, KEY_CNT / 8);
static const unsigned long vitrine_grab_request = EVIOCGRAB;

static inline SDL_bool vitrine_is_main_thread(void) { return getpid() == (pid_t)syscall(SYS_gettid); }
