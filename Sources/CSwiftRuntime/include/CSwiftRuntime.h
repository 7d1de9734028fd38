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

/// The first line of a crash report on standard error, which the number of the signal follows, and the last line.
#define CSWIFT_CRASH_BEGIN "*** crashed by signal "
#define CSWIFT_CRASH_END "*** end of the frames"

/// From now on, a fault of this process that ends it is told on standard error first: the signal, and the frames of the thread, each
/// as `PROGRAM(FUNCTION+OFFSET)[ADDRESS]` or `PROGRAM(+OFFSET)[ADDRESS]`. Call it once.
void cswift_report_crashes(void);

/// Has what is printed on standard output leave the process with the end of each line, and not when a buffer is full: that of a
/// process that crashes never is.
void cswift_print_by_lines(void);

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
