#include "CRuntimeSupport.h"
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Signals of faults that end a process. */
static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

enum { most_frames = 128, alternate_stack = 64 << 10 };

static atomic_flag has_told = ATOMIC_FLAG_INIT;

static void say(const char *text) {
    /* A failure is ignored, because it cannot be reported. */
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

/* Writes the report. Calls nothing that allocates memory or takes a lock of the program. SA_RESETHAND restores the
   default action before this function is called, so that the repeated fault ends the process. */
static void tell(int number) {
    if (atomic_flag_test_and_set(&has_told)) return;
    void *frames[most_frames];
    int count = backtrace(frames, most_frames);
    char line[] = "\n" CSWIFT_CRASH_BEGIN "00\n";
    line[sizeof line - 4] = (char)('0' + number / 10);
    line[sizeof line - 3] = (char)('0' + number % 10);
    say(line);
    /* The first two frames are those of this function and of the signal trampoline. */
    if (count > 2) backtrace_symbols_fd(frames + 2, count - 2, STDERR_FILENO);
    say(CSWIFT_CRASH_END "\n");
}

void cswift_report_crashes(void) {
    /* The first call of backtrace(3) loads a library, which a signal handler must not do. */
    void *frame;
    backtrace(&frame, 1);
    /* An alternate stack of the first thread, in case its stack overflows. It is never freed. */
    stack_t stack = {.ss_sp = malloc(alternate_stack), .ss_size = alternate_stack};
    if (stack.ss_sp != NULL) sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESETHAND | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &action, NULL);
}

void cswift_print_by_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }
