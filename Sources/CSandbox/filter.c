#define _GNU_SOURCE 1
#include "filter.h"
#include "csandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The placeholder for the process ID in a filter. No process has this ID, because the greatest one is 2^22. */
#define SELF 0x7E5E1F00u
/* The last system call number of Linux 6.18. Calls with greater numbers are unknown, so a filter cannot check their
   arguments. */
#define LAST_NUMBER 470
/* The first system call number that is the same on all machines. */
#define FIRST_COMMON_NUMBER 424

/* System calls that are allowed with any arguments. Names that a machine does not have are left out. */
static const char *const allowed[] = {
    /* Files, to which Landlock and the mounts of the sandbox limit the access by path. Not allowed are truncate, chmod,
       chown, setxattr, utime and similar calls with a path, which older versions of Landlock do not limit. */
    "access", "chdir", "close", "copy_file_range", "creat", "dup", "dup2", "dup3", "faccessat", "faccessat2", "fadvise64", "fallocate",
    "fchdir", "fdatasync", "fgetxattr", "flistxattr", "flock", "fstat", "fstatfs", "fsync", "ftruncate", "getcwd", "getdents",
    "getdents64", "getxattr", "lgetxattr", "link", "linkat", "listxattr", "llistxattr", "lseek", "lstat", "mkdir", "mkdirat",
    "newfstatat", "openat2", "pipe", "pipe2", "pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read",
    "readahead", "readlink", "readlinkat", "readv", "rename", "renameat", "renameat2", "rmdir", "sendfile", "splice", "stat", "statfs",
    "statx", "symlink", "symlinkat", "sync_file_range", "tee", "umask", "unlink", "unlinkat", "write", "writev",
    /* Memory. */
    "brk", "madvise", "membarrier", "mincore", "mlock", "mlock2", "mprotect", "mremap", "msync", "munlock", "munmap",
    /* The process's own threads, timers and signals. */
    "alarm", "arch_prctl", "clock_getres", "clock_gettime", "clock_nanosleep", "exit", "exit_group", "futex", "futex_waitv",
    "get_robust_list", "getitimer", "gettimeofday", "nanosleep", "pause", "restart_syscall", "rseq", "rt_sigaction", "rt_sigpending",
    "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "sched_get_priority_max", "sched_get_priority_min",
    "sched_getaffinity", "sched_getattr", "sched_getparam", "sched_getscheduler", "sched_yield", "set_robust_list", "set_tid_address",
    "setitimer", "sigaltstack", "signalfd", "signalfd4", "time", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime",
    "timer_settime", "timerfd_create", "timerfd_gettime", "timerfd_settime", "times", "wait4", "waitid",
    /* Waiting for descriptors. */
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "poll", "ppoll",
    "pselect6", "select",
    /* Information about the process and the machine. */
    "capget", "getcpu", "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid", "getppid", "getpriority",
    "getrandom", "getresgid", "getresuid", "getrlimit", "getrusage", "getsid", "gettid", "getuid", "setrlimit", "sysinfo", "uname",
    /* Existing sockets. Rules below permit the creation of some sockets. */
    "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmmsg", "recvmsg", "sendmmsg", "sendmsg", "sendto", "setsockopt",
    "shutdown",
    /* The execution of the program itself, which is started after the filter was applied. Landlock determines which
       files can be executed. */
    "execve",
};

/* The allowed requests of ioctl(2). For terminals: whether the file is one, its size, and the number of waiting bytes.
   For descriptors: their flags. For files: clones of a whole file or of a range. */
static const uint32_t requests[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, 0x40049409, 0x4020940D};

/* The allowed commands of fcntl(2). Not allowed are owners and signals of descriptors (F_SETOWN, F_SETSIG), leases, and
   notifications of directories. The last four numbers are F_GETPIPE_SZ, F_SETPIPE_SZ, F_ADD_SEALS and F_GET_SEALS. */
static const uint32_t descriptor_commands[] = {F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC,
                                               F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, 1031, 1032, 1033, 1034};

/* The allowed options of prctl(2). Not allowed is to change the signal at the parent's death, or whether the process
   can be dumped: if it cannot, its files in /proc belong to root, so that its use of memory cannot be monitored. The
   last number is PR_SET_VMA, which names memory. */
static const uint32_t process_options[] = {PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ,
                                           PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, 0x53564D41};

/* Comparisons of 32-bit arguments. They ignore the upper half of the register, which can have any value. */
#define IS(argument, value) SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, 0xFFFFFFFFu, (uint32_t)(value))
#define MASKED(argument, mask, value) SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, (uint32_t)(mask), (uint32_t)(value))

/* Adds a rule, unless an earlier rule has failed or the architecture has no such call. */
static void add(scmp_filter_ctx context, int *error, uint32_t action, const char *name, unsigned count,
                const struct scmp_arg_cmp *comparisons) {
    if (*error) return;
    int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) return;
    int result = seccomp_rule_add_array(context, action, number, count, comparisons);
    /* EDOM means that the machine for which the filter is built does not have the call. */
    if (result < 0 && result != -EDOM) *error = -result;
}

#define RULE(action, name, ...)                                                                                        \
    do {                                                                                                               \
        const struct scmp_arg_cmp comparisons[] = {__VA_ARGS__};                                                       \
        add(context, &error, action, name, sizeof comparisons / sizeof *comparisons, comparisons);                     \
    } while (0)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static int describe(scmp_filter_ctx context, int network, int local_socket) {
    int error = 0;
    for (unsigned i = 0; i < COUNT(allowed); i++) add(context, &error, SCMP_ACT_ALLOW, allowed[i], 0, NULL);
    for (unsigned i = 0; i < COUNT(requests); i++) RULE(SCMP_ACT_ALLOW, "ioctl", IS(1, requests[i]));
    for (unsigned i = 0; i < COUNT(descriptor_commands); i++)
        RULE(SCMP_ACT_ALLOW, "fcntl", IS(1, descriptor_commands[i]));
    for (unsigned i = 0; i < COUNT(process_options); i++) RULE(SCMP_ACT_ALLOW, "prctl", IS(0, process_options[i]));

    /* These calls are not executed, because a descriptor that is open for reading, such as that of an item that the
       process received, would suffice to change mode, owner, times and attributes. They must not fail with EPERM,
       because Foundation could then neither copy files nor write NSData, not even the process's own files. Therefore
       they have the results of a file system without these properties (mount(8), vfat's quiet). futimens(3) calls
       utimensat without a path. */
    add(context, &error, SCMP_ACT_ERRNO(0), "fchmod", 0, NULL);
    add(context, &error, SCMP_ACT_ERRNO(0), "fchown", 0, NULL);
    add(context, &error, SCMP_ACT_ERRNO(ENOTSUP), "fsetxattr", 0, NULL);
    add(context, &error, SCMP_ACT_ERRNO(ENOTSUP), "fremovexattr", 0, NULL);
    RULE(SCMP_ACT_ERRNO(0), "utimensat", SCMP_CMP64(1, SCMP_CMP_EQ, 0));

    /* Opening for reading with O_TRUNC is not allowed, because Landlock's first two versions would let it empty a
       file. */
    const uint32_t modes[] = {O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC, O_RDWR | O_TRUNC};
    for (unsigned i = 0; i < COUNT(modes); i++) {
        RULE(SCMP_ACT_ALLOW, "open", MASKED(1, O_ACCMODE | O_TRUNC, modes[i]));
        RULE(SCMP_ACT_ALLOW, "openat", MASKED(2, O_ACCMODE | O_TRUNC, modes[i]));
    }

    /* Only regular files and named pipes can be created, and no devices or sockets. */
    for (int i = 0; i < 3; i++) {
        const uint32_t kind = (const uint32_t[]){0, S_IFREG, S_IFIFO}[i];
        RULE(SCMP_ACT_ALLOW, "mknod", MASKED(1, S_IFMT, kind));
        RULE(SCMP_ACT_ALLOW, "mknodat", MASKED(2, S_IFMT, kind));
    }

    /* Threads can be created with the flags that the C libraries and Go use, but neither processes nor namespaces. All
       threads share one table of descriptors, which the monitor of memory reads. CLONE_DETACHED is used by musl and has
       no effect. clone3 has its flags in memory, which a filter cannot read. The C library falls back to clone if the
       kernel has no clone3. */
    const uint32_t as_they_like = CLONE_DETACHED | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    RULE(SCMP_ACT_ALLOW, "clone",
         MASKED(0, ~as_they_like, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM));
    add(context, &error, SCMP_ACT_ERRNO(ENOSYS), "clone3", 0, NULL);
    /* CLOSE_RANGE_UNSHARE is not allowed, because it would give a thread a separate table of descriptors. */
    RULE(SCMP_ACT_ALLOW, "close_range", MASKED(2, 2, 0));

    /* Signals to the process itself, and its own resource limits. */
    RULE(SCMP_ACT_ALLOW, "kill", IS(0, SELF));
    RULE(SCMP_ACT_ALLOW, "tgkill", IS(0, SELF));
    RULE(SCMP_ACT_ALLOW, "prlimit64", IS(0, 0));
    RULE(SCMP_ACT_ALLOW, "prlimit64", IS(0, SELF));

    /* Private memory counts towards RLIMIT_DATA, except for mappings that grow down and for huge pages, which are not
       allowed. The monitor of memory counts memory files and their mappings. Anonymous shared memory is not allowed,
       because it is not counted at all. */
    const uint32_t uncounted = MAP_GROWSDOWN | MAP_HUGETLB;
    RULE(SCMP_ACT_ALLOW, "mmap", MASKED(3, MAP_ANONYMOUS | uncounted, 0));
    RULE(SCMP_ACT_ALLOW, "mmap", MASKED(3, MAP_TYPE | MAP_ANONYMOUS | uncounted, MAP_PRIVATE | MAP_ANONYMOUS));
    RULE(SCMP_ACT_ALLOW, "memfd_create", MASKED(1, MFD_HUGETLB, 0));

    /* TCP and UDP sockets can be created, but not those for netlink and raw packets, and not local sockets, which can
       reach servers of this user. */
    if (network) {
        for (int i = 0; i < 4; i++)
            RULE(SCMP_ACT_ALLOW, "socket", IS(0, i & 1 ? AF_INET : AF_INET6), MASKED(1, 0xF, i & 2 ? SOCK_STREAM : SOCK_DGRAM),
                 IS(2, 0));
        /* The protocol may also be given by its number: 6 is TCP, 17 is UDP. */
        for (int i = 0; i < 2; i++) {
            RULE(SCMP_ACT_ALLOW, "socket", IS(0, i ? AF_INET : AF_INET6), MASKED(1, 0xF, SOCK_STREAM), IS(2, 6));
            RULE(SCMP_ACT_ALLOW, "socket", IS(0, i ? AF_INET : AF_INET6), MASKED(1, 0xF, SOCK_DGRAM), IS(2, 17));
        }
    }
    /* Without a network, these calls are not allowed, because an end of a socket pair could take a name, or reveal
       which names exist. */
    static const char *const naming[] = {"accept", "accept4", "bind", "listen"};
    for (unsigned i = 0; network && i < COUNT(naming); i++) add(context, &error, SCMP_ACT_ALLOW, naming[i], 0, NULL);
    /* If the program received a connection to a display, its own handler of SIGSYS replaces the socket by this
       connection. */
    if (local_socket > 0) {
        RULE(SCMP_ACT_TRAP, "socket", IS(0, AF_UNIX));
        RULE(SCMP_ACT_TRAP, "connect", SCMP_CMP64(0, SCMP_CMP_EQ, local_socket));
        if (network) RULE(SCMP_ACT_ALLOW, "connect", SCMP_CMP64(0, SCMP_CMP_NE, local_socket));
    } else if (network) {
        add(context, &error, SCMP_ACT_ALLOW, "connect", 0, NULL);
    }
    /* Socket pairs are allowed for the types whose ends can never be connected to another socket. */
    RULE(SCMP_ACT_ALLOW, "socketpair", IS(0, AF_UNIX), MASKED(1, 0xF, SOCK_STREAM));
    RULE(SCMP_ACT_ALLOW, "socketpair", IS(0, AF_UNIX), MASKED(1, 0xF, SOCK_SEQPACKET));
    return error;
}

/* Writes the instructions that precede the library's program, and returns their number. The library's program has the
   same result for all calls that are not allowed. Therefore these instructions handle the calls that the description
   does not know: a call in the convention of another machine ends the process, and numbers of later kernels and in the
   gap below the common numbers fail with ENOSYS. */
static unsigned write_prefix(struct sock_filter *out, uint32_t architecture, uint32_t last_own_number) {
    const struct sock_filter prefix[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_NUMBER, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_COMMON_NUMBER, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, last_own_number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    memcpy(out, prefix, sizeof prefix);
    return COUNT(prefix);
}
enum { prefix_length = 8 };

int csandbox_filter(enum csandbox_machine machine, int network, int local_socket, struct csandbox_instruction **program, size_t *length) {
    const int is_arm = machine == CSANDBOX_ARM64;
    const uint32_t wanted = is_arm ? SCMP_ARCH_AARCH64 : SCMP_ARCH_X86_64;
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!context) return ENOMEM;
    int file = -1, error = 0;
    *program = NULL;
    if (wanted != seccomp_arch_native()) {
        error = -seccomp_arch_add(context, wanted);
        if (!error) error = -seccomp_arch_remove(context, SCMP_ARCH_NATIVE);
    }
    /* Level 2 arranges the comparisons as a tree, because the kernel runs the filter at each call. Older versions of
       the library refuse this level, which has no other effect. */
    seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (!error) error = describe(context, network, local_socket);
    if (!error && (file = memfd_create("filter", MFD_CLOEXEC)) < 0) error = errno;
    if (!error) error = -seccomp_export_bpf(context, file);
    struct stat status;
    if (!error && fstat(file, &status)) error = errno;
    if (!error) {
        const size_t size = (size_t)status.st_size;
        struct sock_filter *all = malloc(size + prefix_length * sizeof *all);
        if (!all) {
            error = ENOMEM;
        } else if (pread(file, all + prefix_length, size, 0) != (ssize_t)size) {
            error = EIO;
            free(all);
        } else {
            write_prefix(all, is_arm ? AUDIT_ARCH_AARCH64 : AUDIT_ARCH_X86_64, is_arm ? 294 : 335);
            *program = (struct csandbox_instruction *)all;
            *length = prefix_length + size / sizeof *all;
        }
    }
    if (file >= 0) close(file);
    seccomp_release(context);
    return error;
}

_Static_assert(sizeof(struct csandbox_instruction) == sizeof(struct sock_filter), "they are the same instruction");

/* The filters that were built. They are never freed, because a program may be starting with one. There are few of them,
   because few different numbers of local sockets are used. */
enum { most_filters = 16 };
static pthread_mutex_t filters_lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int network, local_socket; struct sandbox_filter filter; } filters[most_filters];
static unsigned filter_count;

const struct sandbox_filter *sandbox_filter_get(int network, int local_socket, int *error) {
    network = network != 0;
    const struct sandbox_filter *result = NULL;
    *error = 0;
    pthread_mutex_lock(&filters_lock);
    for (unsigned i = 0; i < filter_count && !result; i++)
        if (filters[i].network == network && filters[i].local_socket == local_socket) result = &filters[i].filter;
    if (!result && filter_count == most_filters) *error = ENOSPC;
    if (!result && !*error) {
#if defined(__x86_64__)
        const enum csandbox_machine machine = CSANDBOX_X86_64;
#elif defined(__aarch64__)
        const enum csandbox_machine machine = CSANDBOX_ARM64;
#else
#error "the system call filter knows x86-64 and arm64"
#endif
        struct csandbox_instruction *program;
        size_t length;
        *error = csandbox_filter(machine, network, local_socket, &program, &length);
        if (!*error && length > CSANDBOX_MOST_INSTRUCTIONS) {
            free(program);
            *error = E2BIG;
        }
        if (!*error) {
            filters[filter_count].network = network;
            filters[filter_count].local_socket = local_socket;
            filters[filter_count].filter = (struct sandbox_filter){(unsigned short)length, (struct sock_filter *)program};
            result = &filters[filter_count++].filter;
        }
    }
    pthread_mutex_unlock(&filters_lock);
    return result;
}

int sandbox_filter_apply(const struct sandbox_filter *filter, pid_t self, struct sock_filter *room) {
    for (unsigned i = 0; i < filter->length; i++) {
        room[i] = filter->program[i];
        if (BPF_CLASS(room[i].code) == BPF_JMP && room[i].k == SELF) room[i].k = (uint32_t)self;
    }
    const struct sock_fprog program = {.len = filter->length, .filter = room};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) ? errno : 0;
}
