/// The call stack of the calling thread, and the files that its code comes from.
#pragma once
#include <stdint.h>

/// Gets the return addresses of the calling function and its callers, the innermost first. Returns their number.
///
/// Follows frame pointers within the thread's own stack. Code that was compiled without them ends the list. Takes no
/// lock and reads no file, except to find the bounds of the stack, once per thread.
int clinux_return_addresses(uintptr_t *addresses, int capacity);

/// A loaded program or library: its addresses and its path, which is empty for the program itself. `text_end` is the
/// end of its code.
struct clinux_image {
    uintptr_t start, text_end;
    const char *path;
};

/// Calls a function for each loaded image. No image is loaded or unloaded meanwhile.
void clinux_each_image(void (*body)(const struct clinux_image *image, void *context), void *context);
