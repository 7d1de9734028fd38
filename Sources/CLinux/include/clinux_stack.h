/// Where the calling thread came from, and which files its code is from.
#pragma once
#include <stdint.h>

/// The return addresses of the calling function and of those that called it, the innermost first; returns how many there are.
///
/// Follows the frame pointers, and only within the thread's own stack: code that was compiled without them ends the list. Takes
/// no lock and reads no file, but for the bounds of the stack, once in a thread.
int clinux_return_addresses(uintptr_t *addresses, int capacity);

/// A program or library that is loaded: the addresses it takes up, and its path, which is empty for the program itself. Its
/// code is the one part of it that ends at `text_end`.
struct clinux_image {
    uintptr_t start, text_end;
    const char *path;
};

/// Calls a function for everything that is loaded. Nothing is loaded or unloaded meanwhile.
void clinux_each_image(void (*body)(const struct clinux_image *image, void *context), void *context);
