#pragma once
#include <limits.h>
#include <sys/timerfd.h>

// Arms a timer that never expires. Reading fails with ECANCELED once the wall clock has been set (timerfd_create(2)).
static inline int vitrine_arm_clock_watch(int descriptor) {
  struct itimerspec never = {.it_value = {.tv_sec = LONG_MAX}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, 0);
}

// Returns a descriptor that becomes readable when the wall clock is set, or -1.
static inline int vitrine_open_clock_watch(void) {
  return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}
