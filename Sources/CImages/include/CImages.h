#ifndef CIMAGES_H
#define CIMAGES_H

#include <stddef.h>
#include <stdint.h>

// libvips' functions take variable arguments, which Swift does not see. These are the calls that are made of it.
//
// Functions that return int give 0 for success. Otherwise `cimages_error` has libvips' own words, per thread, or those of who could
// not load it, which stay.

/// What a picture's header says, nothing of it decoded.
typedef struct {
    int32_t width;
    int32_t height;
    /// Frames of an animation, pages of a document.
    int32_t pages;
    /// As EXIF has it: 1 is upright, 5 to 8 lie on their side.
    int32_t orientation;
    /// Bytes of one pixel, decoded.
    int32_t pixel_size;
    /// Whether its rows are spread over the file (interlaced, progressive), so that there are none until all are read.
    int32_t interlaced;
} cimages_header;

/// Bytes that libvips allocated; `cimages_free` takes them back.
typedef struct {
    void *bytes;
    size_t count;
} cimages_buffer;

/// Loads libvips, and starts it with these decoders alone: JPEG, PNG, WebP, HEIF, TIFF, GIF. Once in a process.
int cimages_start(void);

/// Copies the last error of this thread.
void cimages_error(char *text, size_t size);

int cimages_inspect(const void *bytes, size_t count, cimages_header *header);

/// Decodes, turns upright and encodes again. `suffix` is libvips' file name for the format, with options.
int cimages_convert(const void *bytes, size_t count, const char *suffix, cimages_buffer *result);

/// Decodes no more than needed, turns upright, scales down to fit and encodes. Never scales up.
int cimages_thumbnail(
    const void *bytes, size_t count, int32_t width, int32_t height, const char *suffix, cimages_buffer *result);

/// The same without encoding: rows of pixels of so many bytes: red, green, blue, and alpha where there is some.
int cimages_shrink(
    const void *bytes, size_t count, int32_t side, cimages_buffer *pixels, int32_t *width, int32_t *height,
    int32_t *pixel_size);

/// Encodes rows of red, green, blue and alpha, 8 bits each.
int cimages_encode(
    const void *pixels, int32_t width, int32_t height, const char *suffix, cimages_buffer *result);

/// Decodes into rows of red, green, blue and alpha, 8 bits each, upright.
int cimages_decode(const void *bytes, size_t count, cimages_buffer *pixels, int32_t *width, int32_t *height);

void cimages_free(cimages_buffer *buffer);

#endif
