#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

#include <stddef.h>
#include <stdint.h>

/// Makes an object of a class, given by its metadata, that descends from Foundation's NSObject, by calling the class's own
/// `init()`. Returns it with one reference, which is the caller's.
///
/// Swift's type checker refuses this call, because Foundation on Linux does not declare that initializer `required`; every
/// class has it in its table all the same. A class that does not inherit it ends the process with a message that says so.
void *cswift_make_object(const void *metadata);

/// Writes a name that the compiler has made as a person would. Returns memory for free(3), or NULL for what is no such name.
///
/// Swift runtime, include/swift/Demangling/Demangle.h: without a buffer of the caller's, and its size, the flags are 0.
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

/// Eight bits that each thread has for itself, none of them set at first, in a fraction of the time that pthread's variables take.
/// Swift has no variables of threads.
static inline uint8_t cswift_notes_of_thread(void) {
    extern _Thread_local uint8_t cswift_thread_notes;
    return cswift_thread_notes;
}
static inline void cswift_set_notes_of_thread(uint8_t notes) {
    extern _Thread_local uint8_t cswift_thread_notes;
    cswift_thread_notes = notes;
}

#endif
