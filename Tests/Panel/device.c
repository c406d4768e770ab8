// Commands of the emulated machine that busybox does not have.
//   device keyboard /dev/tty1      prints the keyboard mode of a console: off, raw, medium, xlate, unicode
//   device gamepad                 creates a game controller; each word of standard input presses a button:
//                                  a, b, tab (the right shoulder button), up, down, left, right (the D-pad)
//   device touch                   creates a touch panel of 1280x800; standard input has gestures:
//                                  tap X Y, drag X1 Y1 X2 Y2, pinch X Y FROM TO (as in the demo's scripts)
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
  if (write(device, &event, sizeof event) != sizeof event) perror("device");
}

static void axis(int device, int code, int maximum) {
  struct uinput_abs_setup setup = {.code = code, .absinfo = {.maximum = maximum}};
  ioctl(device, UI_SET_ABSBIT, code);
  ioctl(device, UI_ABS_SETUP, &setup);
}

static void position(int device, int slot, int x, int y) {
  send(device, EV_ABS, ABS_MT_SLOT, slot);
  send(device, EV_ABS, ABS_MT_POSITION_X, x);
  send(device, EV_ABS, ABS_MT_POSITION_Y, y);
}

static void press(int device, int slot, int x, int y) {
  static int finger;
  send(device, EV_ABS, ABS_MT_SLOT, slot);
  send(device, EV_ABS, ABS_MT_TRACKING_ID, ++finger);
  send(device, EV_KEY, BTN_TOUCH, 1);
  position(device, slot, x, y);
}

static void lift(int device, int slots) {
  for (int slot = 0; slot < slots; slot++) {
    send(device, EV_ABS, ABS_MT_SLOT, slot);
    send(device, EV_ABS, ABS_MT_TRACKING_ID, -1);
  }
  send(device, EV_KEY, BTN_TOUCH, 0);
  send(device, EV_SYN, SYN_REPORT, 0);
}

static void tap(int device, int x, int y) {
  press(device, 0, x, y);
  send(device, EV_SYN, SYN_REPORT, 0);
  usleep(60000);
  lift(device, 1);
  usleep(60000);
}

static void drag(int device, int x1, int y1, int x2, int y2) {
  press(device, 0, x1, y1);
  send(device, EV_SYN, SYN_REPORT, 0);
  for (int step = 1; step <= 20; step++) {
    usleep(20000);
    position(device, 0, x1 + (x2 - x1) * step / 20, y1 + (y2 - y1) * step / 20);
    send(device, EV_SYN, SYN_REPORT, 0);
  }
  // A finger that rests before it is lifted does not fling. Longer than the slowest frame of an emulated machine, because
  // the program sees the time at which it receives an event.
  usleep(2000000);
  lift(device, 1);
}

static void pinch(int device, int x, int y, int from, int to) {
  for (int step = 0; step <= 20; step++) {
    int half = (from + (to - from) * step / 20) / 2;
    for (int slot = 0; slot < 2; slot++) {
      (step ? position : press)(device, slot, slot ? x + half : x - half, y);
    }
    send(device, EV_SYN, SYN_REPORT, 0);
    usleep(20000);
  }
  lift(device, 2);
}

static int touch(void) {
  int device = open("/dev/uinput", O_WRONLY);
  if (device < 0) return perror("/dev/uinput"), 1;
  ioctl(device, UI_SET_EVBIT, EV_KEY);
  ioctl(device, UI_SET_KEYBIT, BTN_TOUCH);
  ioctl(device, UI_SET_EVBIT, EV_ABS);
  ioctl(device, UI_SET_PROPBIT, INPUT_PROP_DIRECT);
  // SDL divides by the largest value: points of the screen arrive exactly.
  axis(device, ABS_X, 1280);
  axis(device, ABS_Y, 800);
  axis(device, ABS_MT_SLOT, 1);
  axis(device, ABS_MT_TRACKING_ID, 65535);
  axis(device, ABS_MT_POSITION_X, 1280);
  axis(device, ABS_MT_POSITION_Y, 800);
  struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL, .vendor = 1, .product = 1}, .name = "touch panel"};
  if (ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0) return perror("touch"), 1;

  char word[8];
  int x, y, c, d;
  while (scanf("%7s %d %d", word, &x, &y) == 3) {
    if (!strcmp(word, "tap")) {
      tap(device, x, y);
    } else if (scanf("%d %d", &c, &d) == 2) {
      (strcmp(word, "drag") ? pinch : drag)(device, x, y, c, d);
    }
  }
  return 0;
}

static void range(int device, int code, int minimum, int maximum) {
  struct uinput_abs_setup setup = {.code = code, .absinfo = {.minimum = minimum, .maximum = maximum}};
  ioctl(device, UI_SET_ABSBIT, code);
  ioctl(device, UI_ABS_SETUP, &setup);
}

static int gamepad(void) {
  static const int keys[] = {BTN_A, BTN_B, BTN_X, BTN_Y, BTN_TL, BTN_TR, BTN_SELECT, BTN_START, BTN_MODE, BTN_THUMBL,
                             BTN_THUMBR};
  static const int sticks[] = {ABS_X, ABS_Y, ABS_RX, ABS_RY};
  static const struct { const char *word; int type, code, value; } buttons[] = {
    {"a", EV_KEY, BTN_A, 1}, {"b", EV_KEY, BTN_B, 1}, {"tab", EV_KEY, BTN_TR, 1},
    {"up", EV_ABS, ABS_HAT0Y, -1}, {"down", EV_ABS, ABS_HAT0Y, 1},
    {"left", EV_ABS, ABS_HAT0X, -1}, {"right", EV_ABS, ABS_HAT0X, 1}};
  int device = open("/dev/uinput", O_WRONLY);
  if (device < 0) return perror("/dev/uinput"), 1;
  ioctl(device, UI_SET_EVBIT, EV_KEY);
  for (int i = 0; i < sizeof keys / sizeof *keys; i++) ioctl(device, UI_SET_KEYBIT, keys[i]);
  ioctl(device, UI_SET_EVBIT, EV_ABS);
  for (int i = 0; i < 4; i++) range(device, sticks[i], -32768, 32767);
  range(device, ABS_Z, 0, 255);
  range(device, ABS_RZ, 0, 255);
  range(device, ABS_HAT0X, -1, 1);
  range(device, ABS_HAT0Y, -1, 1);
  struct uinput_setup setup = {.id = {.bustype = BUS_USB, .vendor = 0x045e, .product = 0x028e, .version = 0x0114},
                               .name = "Microsoft X-Box 360 pad"};
  if (ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0) return perror("gamepad"), 1;

  char word[16];
  while (scanf("%15s", word) == 1) {
    for (int i = 0; i < sizeof buttons / sizeof *buttons; i++) {
      if (strcmp(word, buttons[i].word)) continue;
      for (int isDown = 1; isDown >= 0; isDown--) {
        send(device, buttons[i].type, buttons[i].code, isDown * buttons[i].value);
        send(device, EV_SYN, SYN_REPORT, 0);
        usleep(60000);
      }
    }
  }
  return 0;
}

int main(int count, char **words) {
  if (count == 3 && !strcmp(words[1], "keyboard")) return keyboard(words[2]);
  if (count == 2 && !strcmp(words[1], "touch")) return touch();
  if (count == 2 && !strcmp(words[1], "gamepad")) return gamepad();
  return 2;
}
