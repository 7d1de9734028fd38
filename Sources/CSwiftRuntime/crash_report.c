#include "CSwiftRuntime.h"
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Signals that end a process because of a fault of its own. */
static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

enum { most_frames = 128, alternate_stack = 64 << 10 };

static atomic_flag has_told = ATOMIC_FLAG_INIT;

static void say(const char *text) {
    /* Nothing can be done about a failure here. */
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

/* Calls nothing that allocates or takes a lock of the program's. The signal's own action was restored before this is called, so
   that the fault ends the process when it happens again. */
static void tell(int number) {
    if (atomic_flag_test_and_set(&has_told)) return;
    void *frames[most_frames];
    int count = backtrace(frames, most_frames);
    char line[] = "\n" CSWIFT_CRASH_BEGIN "00\n";
    line[sizeof line - 4] = (char)('0' + number / 10);
    line[sizeof line - 3] = (char)('0' + number % 10);
    say(line);
    /* The first two are this function and the kernel's return from it. */
    if (count > 2) backtrace_symbols_fd(frames + 2, count - 2, STDERR_FILENO);
    say(CSWIFT_CRASH_END "\n");
}

void cswift_report_crashes(void) {
    /* The first call loads a library, which a handler may not do. */
    void *frame;
    backtrace(&frame, 1);
    /* For the first thread, whose stack may be what is used up. It stays for as long as the process. */
    stack_t stack = {.ss_sp = malloc(alternate_stack), .ss_size = alternate_stack};
    if (stack.ss_sp != NULL) sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESETHAND | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &action, NULL);
}

void cswift_print_by_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }
