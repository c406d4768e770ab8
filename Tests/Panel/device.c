// What busybox has no word for, on the emulated machine.
//   device keyboard /dev/tty1      prints the keyboard mode of a console: off, raw, medium, xlate, unicode
//   device touch                   makes a touch panel of 1280x800; each line `X1 Y1 X2 Y2` of standard input is a drag
#include <fcntl.h>
#include <linux/kd.h>
#include <linux/uinput.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int keyboard(const char *console) {
  static const char *names[] = {"raw", "xlate", "medium", "unicode", "off"};
  int mode = 0;
  int file = open(console, O_RDONLY | O_NOCTTY);
  if (file < 0 || ioctl(file, KDGKBMODE, &mode) < 0) return perror(console), 1;
  puts(mode >= 0 && mode < 5 ? names[mode] : "unknown");
  return 0;
}

static void send(int device, int type, int code, int value) {
  struct input_event event = {.type = type, .code = code, .value = value};
  if (write(device, &event, sizeof event) != sizeof event) perror("touch");
}

static void axis(int device, int code, int maximum) {
  struct uinput_abs_setup setup = {.code = code, .absinfo = {.maximum = maximum}};
  ioctl(device, UI_SET_ABSBIT, code);
  ioctl(device, UI_ABS_SETUP, &setup);
}

static void place(int device, int x, int y) {
  send(device, EV_ABS, ABS_MT_POSITION_X, x);
  send(device, EV_ABS, ABS_MT_POSITION_Y, y);
  send(device, EV_SYN, SYN_REPORT, 0);
}

static int touch(void) {
  int device = open("/dev/uinput", O_WRONLY);
  if (device < 0) return perror("/dev/uinput"), 1;
  ioctl(device, UI_SET_EVBIT, EV_KEY);
  ioctl(device, UI_SET_KEYBIT, BTN_TOUCH);
  ioctl(device, UI_SET_EVBIT, EV_ABS);
  ioctl(device, UI_SET_PROPBIT, INPUT_PROP_DIRECT);
  axis(device, ABS_X, 1279);
  axis(device, ABS_Y, 799);
  axis(device, ABS_MT_SLOT, 1);
  axis(device, ABS_MT_TRACKING_ID, 65535);
  axis(device, ABS_MT_POSITION_X, 1279);
  axis(device, ABS_MT_POSITION_Y, 799);
  struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL, .vendor = 1, .product = 1}, .name = "touch panel"};
  if (ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0) return perror("touch"), 1;

  int x1, y1, x2, y2, finger = 0;
  while (scanf("%d %d %d %d", &x1, &y1, &x2, &y2) == 4) {
    send(device, EV_ABS, ABS_MT_SLOT, 0);
    send(device, EV_ABS, ABS_MT_TRACKING_ID, ++finger);
    send(device, EV_KEY, BTN_TOUCH, 1);
    place(device, x1, y1);
    for (int step = 1; step <= 20; step++) {
      usleep(20000);
      place(device, x1 + (x2 - x1) * step / 20, y1 + (y2 - y1) * step / 20);
    }
    usleep(500000);  // A finger that rests before it leaves does not fling.
    send(device, EV_ABS, ABS_MT_TRACKING_ID, -1);
    send(device, EV_KEY, BTN_TOUCH, 0);
    send(device, EV_SYN, SYN_REPORT, 0);
  }
  return 0;
}

int main(int count, char **words) {
  if (count == 3 && !strcmp(words[1], "keyboard")) return keyboard(words[2]);
  if (count == 2 && !strcmp(words[1], "touch")) return touch();
  return 2;
}
