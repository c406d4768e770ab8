// Converts colors from a profile to sRGB with Little CMS. Each conversion has a context of its own, so that no state is
// shared between threads.
#pragma once
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <lcms2.h>
#include <zlib.h>

typedef enum {
  vitrine_color_rgb,
  /// Red, green and blue are equal.
  vitrine_color_gray,
  /// Cyan, magenta, yellow and black, inverted as Adobe writes them.
  vitrine_color_cmyk
} vitrine_color_model;

typedef struct {
  cmsContext context;
  cmsHTRANSFORM transform;
} vitrine_colors;

static inline void vitrine_colors_close(vitrine_colors *self) {
  if (!self) return;
  if (self->transform) cmsDeleteTransform(self->transform);
  if (self->context) cmsDeleteContext(self->context);
  free(self);
}

/// Returns the format of a source pixel, which has four bytes. The last byte is not converted, except for CMYK.
static inline cmsUInt32Number vitrine_colors_layout(vitrine_color_model model, bool blue_first) {
  switch (model) {
    case vitrine_color_gray: return COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1);
    case vitrine_color_cmyk: return TYPE_CMYK_8_REV;
    default: return blue_first ? TYPE_BGRA_8 : TYPE_RGBA_8;
  }
}

static inline bool vitrine_colors_fit(cmsHPROFILE profile, vitrine_color_model model) {
  cmsColorSpaceSignature wanted = model == vitrine_color_gray ? cmsSigGrayData
                                  : model == vitrine_color_cmyk ? cmsSigCmykData : cmsSigRgbData;
  cmsProfileClassSignature kind = cmsGetDeviceClass(profile);
  bool is_device = kind == cmsSigInputClass || kind == cmsSigDisplayClass || kind == cmsSigOutputClass
                   || kind == cmsSigColorSpaceClass;
  return is_device && cmsGetColorSpace(profile) == wanted;
}

/// Returns null for a profile that is damaged or does not fit `model`.
static inline vitrine_colors *vitrine_colors_open(
    const unsigned char *bytes, size_t count, vitrine_color_model model, bool blue_first) {
  vitrine_colors *self = (vitrine_colors *)calloc(1, sizeof(vitrine_colors));
  if (!self) return NULL;
  self->context = cmsCreateContext(NULL, NULL);
  cmsHPROFILE source = self->context ? cmsOpenProfileFromMemTHR(self->context, bytes, (cmsUInt32Number)count) : NULL;
  cmsHPROFILE target = source && vitrine_colors_fit(source, model) ? cmsCreate_sRGBProfileTHR(self->context) : NULL;
  if (target) {
    // Low-resolution tables for CMYK: with the default size, building the tables takes longer than converting most
    // images.
    cmsUInt32Number flags = model == vitrine_color_cmyk ? cmsFLAGS_LOWRESPRECALC : 0;
    self->transform = cmsCreateTransformTHR(
        self->context, source, vitrine_colors_layout(model, blue_first), target,
        blue_first ? TYPE_BGRA_8 : TYPE_RGBA_8, INTENT_PERCEPTUAL, flags | cmsFLAGS_NOCACHE);
  }
  if (target) cmsCloseProfile(target);
  if (source) cmsCloseProfile(source);
  if (self->transform) return self;
  vitrine_colors_close(self);
  return NULL;
}

/// Converts `count` pixels in place.
static inline void vitrine_colors_convert(const vitrine_colors *self, unsigned char *pixels, size_t count) {
  while (count > 0) {
    cmsUInt32Number part = count < 1 << 20 ? (cmsUInt32Number)count : 1 << 20;
    cmsDoTransform(self->transform, pixels, pixels, part);
    pixels += (size_t)part * 4;
    count -= part;
  }
}

/// Decompresses a zlib stream to at most `capacity` bytes. Returns the number of bytes; 0 if the stream is damaged
/// before the first byte.
static inline size_t vitrine_inflate(
    const unsigned char *bytes, size_t count, unsigned char *target, size_t capacity) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (inflateInit(&stream) != Z_OK) return 0;
  stream.next_in = (z_const Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = target;
  stream.avail_out = (uInt)capacity;
  inflate(&stream, Z_SYNC_FLUSH);
  size_t made = capacity - stream.avail_out;
  inflateEnd(&stream);
  return made;
}
