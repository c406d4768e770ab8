#pragma once
#include <stdio.h>
#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>
