#ifndef CIMAGES_H
#define CIMAGES_H

#include <stddef.h>
#include <stdint.h>

// Wrappers of libvips' functions, which take variable arguments and so are unavailable in Swift.
//
// Functions that return int return 0 for success. Otherwise, `cimages_error` has libvips' message, per thread, or
// permanently the loader's message if libvips could not be loaded.

/// The contents of a picture's header, without decoding the picture.
typedef struct {
    int32_t width;
    int32_t height;
    /// The number of frames of an animation, or pages of a document.
    int32_t pages;
    /// The EXIF orientation: 1 is upright, 5 to 8 are rotated by 90 degrees.
    int32_t orientation;
    /// The size of one decoded pixel in bytes.
    int32_t pixel_size;
    /// Whether rows are spread over the file (interlaced, progressive), so that none is complete before all are read.
    int32_t interlaced;
} cimages_header;

/// Bytes that libvips allocated. `cimages_free` frees them.
typedef struct {
    void *bytes;
    size_t count;
} cimages_buffer;

/// Loads and initializes libvips with only these decoders: JPEG, PNG, WebP, HEIF, TIFF, GIF. Must be called once per
/// process.
int cimages_start(void);

/// Copies the last error of this thread.
void cimages_error(char *text, size_t size);

int cimages_inspect(const void *bytes, size_t count, cimages_header *header);

/// Decodes, rotates upright and encodes again. `suffix` is libvips' filename suffix of the format, with options.
int cimages_convert(const void *bytes, size_t count, const char *suffix, cimages_buffer *result);

/// Decodes no more than needed, rotates upright, scales down to fit and encodes. Never scales up.
int cimages_thumbnail(
    const void *bytes, size_t count, int32_t width, int32_t height, const char *suffix, cimages_buffer *result);

/// Does the same as `cimages_thumbnail`, but without encoding. Returns rows of pixels of `pixel_size` bytes: red,
/// green, blue, and alpha if present.
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
