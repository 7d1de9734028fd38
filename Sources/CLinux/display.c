#define _GNU_SOURCE 1
#include "clinux_display.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <ucontext.h>
#include <unistd.h>

/* The connection to the display. This is written before the handler is installed; only the flag below changes later. */
static struct {
    int connection, number;
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
} display;
static atomic_flag was_handed_out = ATOMIC_FLAG_INIT;

/* Creates an unconnected socket with the reserved number. */
static long make_socket(int type) {
    /* Only one such socket can exist at a time, and it must be a stream socket like that of the display. */
    if ((type & 0xF) != SOCK_STREAM || fcntl(display.number, F_GETFD) >= 0) return -EACCES;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return -errno;
    long result = dup3(ends[0], display.number, O_CLOEXEC) < 0 ? -errno : display.number;
    close(ends[0]);
    close(ends[1]);
    return result;
}

static long connect_socket(const struct sockaddr_un *address, socklen_t length) {
    size_t size = length - offsetof(struct sockaddr_un, sun_path), path = strlen(display.path);
    if (length <= offsetof(struct sockaddr_un, sun_path) || address->sun_family != AF_UNIX) return -ECONNREFUSED;
    /* The abstract address of the same name begins with a zero byte. */
    const char *name = address->sun_path;
    if (*name == 0) {
        name++;
        size--;
    }
    if (size < path || memcmp(name, display.path, path) || (size > path && name[path])) return -ECONNREFUSED;
    if (atomic_flag_test_and_set(&was_handed_out)) return -ECONNREFUSED;
    return dup3(display.connection, display.number, O_CLOEXEC) < 0 ? -errno : 0;
}

/* Handles SIGSYS: runs instead of the system call, on the thread that made it. Other system calls that the filter traps
   are refused. */
static void answer(int signal, siginfo_t *information, void *interrupted) {
    (void)signal;
    int before = errno;
    mcontext_t *machine = &((ucontext_t *)interrupted)->uc_mcontext;
#if defined(__x86_64__)
    greg_t *result = &machine->gregs[REG_RAX];
    const greg_t second = machine->gregs[REG_RSI], third = machine->gregs[REG_RDX];
#elif defined(__aarch64__)
    unsigned long long *result = &machine->regs[0];
    const unsigned long long second = machine->regs[1], third = machine->regs[2];
#endif
    switch (information->si_syscall) {
    case SYS_socket: *result = make_socket((int)second); break;
    case SYS_connect: *result = connect_socket((const struct sockaddr_un *)second, (socklen_t)third); break;
    default: *result = -EACCES;
    }
    errno = before;
}

int clinux_serve_display(int connection, int number, const char *path) {
    if (strlen(path) >= sizeof display.path) return ENAMETOOLONG;
    display.connection = connection;
    display.number = number;
    strcpy(display.path, path);
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    return sigaction(SIGSYS, &action, NULL) ? errno : 0;
}
