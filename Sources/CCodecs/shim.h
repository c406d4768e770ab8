#pragma once
#include "jpeg_decoding.h"
#include "png_decoding.h"
#include <webp/decode.h>
#include <webp/demux.h>
