#define _GNU_SOURCE 1
#include "clinux_stack.h"
#include <link.h>
#include <pthread.h>
#include <stddef.h>

static __thread uintptr_t stack_start, stack_end;

static void find_stack(void) {
    pthread_attr_t attributes;
    /* If the bounds cannot be found, the range stays empty. */
    stack_start = stack_end = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void *start;
    size_t size;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        stack_start = (uintptr_t)start;
        stack_end = stack_start + size;
    }
    pthread_attr_destroy(&attributes);
}

/* Not instrumented, because it reads the frames of other functions. */
__attribute__((noinline, no_sanitize("address", "thread")))
int clinux_return_addresses(uintptr_t *addresses, int capacity) {
    if (stack_end == 0) find_stack();
    int count = 0;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (frame < stack_start) return 0;
    while (count < capacity) {
        /* All memory between this function's frame and the end of the thread's stack is mapped. */
        if (frame % sizeof(uintptr_t) != 0 || stack_end < 2 * sizeof(uintptr_t)
            || frame > stack_end - 2 * sizeof(uintptr_t))
            break;
        uintptr_t next = ((const uintptr_t *)frame)[0], address = ((const uintptr_t *)frame)[1];
        if (address == 0) break;
        addresses[count++] = address;
        if (next <= frame) break;
        frame = next;
    }
    return count;
}

struct each { void (*body)(const struct clinux_image *, void *); void *context; };

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    const struct each *each = data;
    uintptr_t start = UINTPTR_MAX, text_end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD) continue;
        uintptr_t first = info->dlpi_addr + header->p_vaddr;
        if (first < start) start = first;
        if ((header->p_flags & PF_X) && first + header->p_memsz > text_end) text_end = first + header->p_memsz;
    }
    if (start >= text_end) return 0;
    struct clinux_image image = {start & ~(uintptr_t)4095, text_end, info->dlpi_name ? info->dlpi_name : ""};
    each->body(&image, each->context);
    return 0;
}

void clinux_each_image(void (*body)(const struct clinux_image *, void *), void *context) {
    struct each each = {body, context};
    dl_iterate_phdr(visit, &each);
}
