#include "CImages.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>

// libvips depends on a hundred libraries, which make the start of a process four times as slow. Most processes never
// decode a picture, so it is loaded on first use. Its functions are called as its header declares them.
static const char library[] = "libvips.so.42";

#define FUNCTIONS(FUNCTION) \
    FUNCTION(g_object_unref) FUNCTION(vips_addalpha) FUNCTION(vips_autorot) FUNCTION(vips_cache_set_max) \
    FUNCTION(vips_cast_uchar) FUNCTION(vips_colourspace) FUNCTION(vips_copy) FUNCTION(vips_error_buffer) \
    FUNCTION(vips_error_clear) FUNCTION(vips_extract_band) FUNCTION(vips_format_sizeof) \
    FUNCTION(vips_image_copy_memory) FUNCTION(vips_image_get_height) FUNCTION(vips_image_get_int) \
    FUNCTION(vips_image_get_n_pages) FUNCTION(vips_image_get_typeof) FUNCTION(vips_image_get_width) \
    FUNCTION(vips_image_hasalpha) FUNCTION(vips_image_new_from_buffer) FUNCTION(vips_image_new_from_memory) \
    FUNCTION(vips_image_write_to_buffer) FUNCTION(vips_image_write_to_memory) FUNCTION(vips_init) \
    FUNCTION(vips_operation_block_set) FUNCTION(vips_thumbnail_buffer)

#define DECLARE(name) __typeof__(&name) name;
static struct { FUNCTIONS(DECLARE) } late;

// The reason why libvips is not loaded; empty after it was loaded.
static char load_error[256] = "libvips is not loaded";

static int load_library(void) {
    void *loaded = dlopen(library, RTLD_NOW | RTLD_NODELETE);
#define FIND(name) \
    if (loaded && !(late.name = (__typeof__(&name))dlsym(loaded, #name))) loaded = NULL;
    FUNCTIONS(FIND)
    const char *error = loaded ? "" : dlerror();
    g_strlcpy(load_error, error ? error : library, sizeof load_error);
    return loaded ? 0 : -1;
}

static const char *const decoders[] = {
    "VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp",
    "VipsForeignLoadHeif", "VipsForeignLoadTiff", "VipsForeignLoadNsgif",
};

static void say_nothing(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {
    (void)domain, (void)level, (void)message, (void)data;
}

int cimages_start(void) {
    if (load_library()) return -1;
    // Failures are returned as errors; a library must not write to the program's standard error.
    g_log_set_handler("VIPS", G_LOG_LEVEL_MASK, say_nothing, NULL);
    if (late.vips_init("purvey")) return -1;
    late.vips_operation_block_set("VipsForeignLoad", TRUE);
    for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++) late.vips_operation_block_set(decoders[i], FALSE);
    // A decoded picture is not needed again, so the cache of operations is useless.
    late.vips_cache_set_max(0);
    return 0;
}

void cimages_error(char *text, size_t size) {
    g_strlcpy(text, *load_error ? load_error : late.vips_error_buffer(), size);
    if (!*load_error) late.vips_error_clear();
}

static int32_t bytes_of_pixel(VipsImage *image) {
    return (int32_t)late.vips_format_sizeof(image->BandFmt) * image->Bands;
}

static int32_t orientation(VipsImage *image) {
    int value = 1;
    if (late.vips_image_get_typeof(image, VIPS_META_ORIENTATION)) late.vips_image_get_int(image, VIPS_META_ORIENTATION, &value);
    return value;
}

int cimages_inspect(const void *bytes, size_t count, cimages_header *header) {
    VipsImage *image = late.vips_image_new_from_buffer(bytes, count, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    if (!image) return -1;
    header->width = late.vips_image_get_width(image);
    header->height = late.vips_image_get_height(image);
    header->pages = late.vips_image_get_n_pages(image);
    header->orientation = orientation(image);
    header->pixel_size = bytes_of_pixel(image);
    header->interlaced =
        late.vips_image_get_typeof(image, "interlaced") != 0 || late.vips_image_get_typeof(image, "jpeg-multiscan") != 0;
    late.g_object_unref(image);
    return 0;
}

// Takes ownership of the image.
static int write_and_release(VipsImage *image, const char *suffix, cimages_buffer *result) {
    int failed = late.vips_image_write_to_buffer(image, suffix, &result->bytes, &result->count, NULL);
    late.g_object_unref(image);
    return failed;
}

// Takes ownership of the image.
static VipsImage *upright(VipsImage *image) {
    VipsImage *turned = NULL;
    if (!image) return NULL;
    if (orientation(image) == 1) return image;
    // Rotation reads rows in another order than that of decoding, so the picture is first decoded whole.
    VipsImage *decoded = late.vips_image_copy_memory(image);
    late.g_object_unref(image);
    if (!decoded) return NULL;
    int failed = late.vips_autorot(decoded, &turned, NULL);
    late.g_object_unref(decoded);
    return failed ? NULL : turned;
}

static VipsImage *load(const void *bytes, size_t count) {
    return upright(late.vips_image_new_from_buffer(
        bytes, count, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED, NULL));
}

int cimages_convert(const void *bytes, size_t count, const char *suffix, cimages_buffer *result) {
    VipsImage *image = load(bytes, count);
    return image ? write_and_release(image, suffix, result) : -1;
}

static VipsImage *shrunk(const void *bytes, size_t count, int32_t width, int32_t height) {
    VipsImage *image = NULL;
    // The function only reads the bytes; its parameter is not const for compatibility.
    int failed = late.vips_thumbnail_buffer(
        (void *)bytes, count, &image, width, "height", height, "size", VIPS_SIZE_DOWN, "fail_on",
        VIPS_FAIL_ON_TRUNCATED, NULL);
    return failed ? NULL : image;
}

int cimages_thumbnail(
    const void *bytes, size_t count, int32_t width, int32_t height, const char *suffix, cimages_buffer *result) {
    VipsImage *image = shrunk(bytes, count, width, height);
    return image ? write_and_release(image, suffix, result) : -1;
}

int cimages_shrink(
    const void *bytes, size_t count, int32_t side, cimages_buffer *pixels, int32_t *width, int32_t *height,
    int32_t *pixel_size) {
    VipsImage *image = shrunk(bytes, count, side, side);
    VipsImage *coloured = NULL, *narrow = NULL, *deep = NULL;
    int failed = -1;
    if (!image) return -1;
    if (!late.vips_colourspace(image, &coloured, VIPS_INTERPRETATION_sRGB, NULL)
        && !(coloured->Bands > 4 ? late.vips_extract_band(coloured, &narrow, 0, "n", 4, NULL)
                                 : late.vips_copy(coloured, &narrow, NULL))
        && !late.vips_cast_uchar(narrow, &deep, NULL)) {
        *width = late.vips_image_get_width(deep);
        *height = late.vips_image_get_height(deep);
        *pixel_size = bytes_of_pixel(deep);
        pixels->bytes = late.vips_image_write_to_memory(deep, &pixels->count);
        failed = pixels->bytes ? 0 : -1;
    }
    if (deep) late.g_object_unref(deep);
    if (narrow) late.g_object_unref(narrow);
    if (coloured) late.g_object_unref(coloured);
    late.g_object_unref(image);
    return failed;
}

int cimages_encode(
    const void *pixels, int32_t width, int32_t height, const char *suffix, cimages_buffer *result) {
    VipsImage *raw = late.vips_image_new_from_memory(
        pixels, (size_t)width * (size_t)height * 4, width, height, 4, VIPS_FORMAT_UCHAR);
    VipsImage *image = NULL;
    if (!raw) return -1;
    int failed = late.vips_copy(raw, &image, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
    if (!failed) failed = write_and_release(image, suffix, result);
    late.g_object_unref(raw);
    return failed;
}

int cimages_decode(const void *bytes, size_t count, cimages_buffer *pixels, int32_t *width, int32_t *height) {
    VipsImage *image = load(bytes, count);
    VipsImage *coloured = NULL, *deep = NULL, *opaque = NULL;
    int failed = -1;
    if (!image) return -1;
    if (!late.vips_colourspace(image, &coloured, VIPS_INTERPRETATION_sRGB, NULL)
        && !(late.vips_image_hasalpha(coloured) ? late.vips_copy(coloured, &opaque, NULL)
                                           : late.vips_addalpha(coloured, &opaque, NULL))
        && !late.vips_cast_uchar(opaque, &deep, NULL)) {
        *width = late.vips_image_get_width(deep);
        *height = late.vips_image_get_height(deep);
        pixels->bytes = late.vips_image_write_to_memory(deep, &pixels->count);
        failed = pixels->bytes ? 0 : -1;
    }
    if (deep) late.g_object_unref(deep);
    if (opaque) late.g_object_unref(opaque);
    if (coloured) late.g_object_unref(coloured);
    late.g_object_unref(image);
    return failed;
}

void cimages_free(cimages_buffer *buffer) {
    g_free(buffer->bytes);
    buffer->bytes = NULL;
}
