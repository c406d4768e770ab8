#pragma once
#include "color_converting.h"
#include "jpeg_decoding.h"
#include "jpeg_in_part.h"
#include "png_decoding.h"
#include "png_in_part.h"
#include <webp/decode.h>
#include <webp/demux.h>
