#ifndef CRUNTIMESUPPORT_H
#define CRUNTIMESUPPORT_H

#include <stddef.h>
#include <stdint.h>

/// Creates an object of a subclass of Foundation's NSObject, given by its metadata, by calling the class's `init()`.
/// Returns it with one reference, which the caller owns.
///
/// Swift's type checker refuses this call, because Foundation on Linux does not declare that initializer `required`.
/// Still, every class has the initializer in its method table. For a class that does not inherit it, the process ends
/// with a message.
void *cswift_make_object(const void *metadata);

/// Demangles a name. Returns memory that the caller frees with free(3), or NULL if the name is not mangled.
///
/// Swift runtime, include/swift/Demangling/Demangle.h. `buffer` and `size` may be NULL; `flags` must be 0.
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

/// The start of the first line of a crash report on standard error. The number of the signal follows it.
/// CSWIFT_CRASH_END is the last line of the report.
#define CSWIFT_CRASH_BEGIN "*** crashed by signal "
#define CSWIFT_CRASH_END "*** end of the frames"

/// Installs handlers that report a crash of this process on standard error: the signal, and the frames of the thread,
/// each as `PROGRAM(FUNCTION+OFFSET)[ADDRESS]` or `PROGRAM(+OFFSET)[ADDRESS]`. Must be called once.
void cswift_report_crashes(void);

/// Makes standard output line-buffered. A process that crashes would lose a full buffer's output.
void cswift_print_by_lines(void);

/// Returns eight thread-local bits, initially 0, in a fraction of the time of pthread_getspecific(3). Swift has no
/// thread-local variables.
static inline uint8_t cswift_notes_of_thread(void) {
    extern _Thread_local uint8_t cswift_thread_notes;
    return cswift_thread_notes;
}
static inline void cswift_set_notes_of_thread(uint8_t notes) {
    extern _Thread_local uint8_t cswift_thread_notes;
    cswift_thread_notes = notes;
}

// Functions of modules with which a program need not be linked. Lower modules use them if the program is linked with
// these modules.

/// Returns a retained object that stores the boards of pasteboards and drags for all processes. NULL in a program
/// without the module Exchange.
void *clate_shared_boards(void);

/// Returns a retained object that connects to the arbiter of file coordination for all processes. NULL in a program
/// without the coordination service's client.
void *clate_shared_coordination(void);

/// Returns a retained object that starts the daemon and knows its socket. NULL in a program without the module
/// Exchange.
void *clate_daemon_entrance(void);

#endif
