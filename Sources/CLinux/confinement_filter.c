#define _GNU_SOURCE 1
#include "confinement_filter.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system call filter knows x86-64 and arm64"
#endif

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define NUMBER LOAD(offsetof(struct seccomp_data, nr))
/* The low half: both machines are little-endian. */
#define ARGUMENT(i) LOAD(offsetof(struct seccomp_data, args) + 8 * (i))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))
#define UNLESS_EQUAL(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define IF_EQUAL(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (skip), 0)

#define THREAD (CLONE_VM | CLONE_FILES | CLONE_THREAD)

/* What no extension has a use for and what reaches outside of its confinement, in the order of their reasons: other
   processes; mounts and roots; the kernel itself; ways round path checks and round this filter. */
static const uint32_t refused[] = {
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_open, SYS_pidfd_send_signal,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_tkill, SYS_execveat, SYS_setns, SYS_unshare,
    SYS_setpriority, SYS_ioprio_set, SYS_migrate_pages, SYS_move_pages,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_swapon, SYS_swapoff, SYS_quotactl, SYS_fanotify_init,
    SYS_init_module, SYS_delete_module, SYS_finit_module, SYS_kexec_load, SYS_reboot, SYS_acct, SYS_syslog,
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname,
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_vhangup, SYS_personality,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_name_to_handle_at, SYS_open_by_handle_at,
    /* Numbers since Linux 5.1 are the same everywhere, and older headers do not know them all: pidfd_getfd, the
       io_uring family, the mount family, process_madvise, mount_setattr, quotactl_fd, memfd_secret,
       process_mrelease. */
    438, 425, 426, 427, 428, 429, 430, 431, 432, 433, 440, 442, 443, 447, 448,
    /* What belongs to files and not to their content, by path: Landlock keeps no paths apart here (landlock(7),
       Limitations). By number (the same everywhere): fchmodat2, setxattrat, removexattrat, file_setattr. */
    SYS_fchmodat, 452, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, 463, SYS_removexattr, SYS_lremovexattr, 466, 469,
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    /* watching what others do with their files */
    SYS_inotify_init1, SYS_inotify_add_watch,
#ifdef SYS_inotify_init
    SYS_inotify_init,
#endif
    /* shared memory and message queues with names that other processes know */
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_semget, SYS_semop, SYS_semtimedop,
    SYS_mq_open, SYS_mq_unlink,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm,
#endif
};

enum { refused_count = sizeof refused / sizeof *refused, room = 2 * refused_count + 112 };

int confinement_filter_apply(pid_t self, int network, int local_socket) {
    struct sock_filter program[room];
    unsigned length = 0;
#define ADD(...)                                                                                                       \
    do {                                                                                                               \
        const struct sock_filter piece[] = {__VA_ARGS__};                                                              \
        for (unsigned i = 0; i < sizeof piece / sizeof *piece; i++) program[length++] = piece[i];                      \
    } while (0)

    /* Calls of another architecture have other numbers. */
    ADD(LOAD(offsetof(struct seccomp_data, arch)), IF_EQUAL(ARCHITECTURE, 1), ANSWER(SECCOMP_RET_KILL_PROCESS), NUMBER);
#ifdef __x86_64__
    ADD(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), REFUSE(ENOSYS));
#endif
    for (unsigned i = 0; i < refused_count; i++) ADD(UNLESS_EQUAL(refused[i], 1), REFUSE(EPERM));
    /* The same by descriptor. One that is open for reading is enough, such as an item's that it is handed, so none is
       let through. But Foundation copies no file and writes no NSData when these fail, on files of its own: mode, owner
       and times stay as they are, and the answer is that of a file system that has none (mount(8), vfat's quiet). */
    ADD(UNLESS_EQUAL(SYS_fchmod, 1), ANSWER(SECCOMP_RET_ERRNO), UNLESS_EQUAL(SYS_fchown, 1), ANSWER(SECCOMP_RET_ERRNO),
        UNLESS_EQUAL(SYS_fsetxattr, 1), REFUSE(ENOTSUP), UNLESS_EQUAL(SYS_fremovexattr, 1), REFUSE(ENOTSUP));
    /* futimens has no path. */
    ADD(UNLESS_EQUAL(SYS_utimensat, 6), ARGUMENT(1), UNLESS_EQUAL(0, 3),
        LOAD(offsetof(struct seccomp_data, args) + 8 * 1 + 4), UNLESS_EQUAL(0, 1), ANSWER(SECCOMP_RET_ERRNO),
        REFUSE(EPERM));
    /* Threads, but no processes, and with one table of descriptors for all of them, which the watchdog reads. The flags
       of clone3 lie in memory, where a filter cannot look; the C library goes back to clone when the kernel does not know
       clone3 (435). */
    ADD(UNLESS_EQUAL(435, 1), REFUSE(ENOSYS));
    ADD(UNLESS_EQUAL(SYS_clone, 5), ARGUMENT(0), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, THREAD), UNLESS_EQUAL(THREAD, 1),
        ALLOW, REFUSE(EPERM));
    /* close_range (436) can part the tables (CLOSE_RANGE_UNSHARE). */
    ADD(UNLESS_EQUAL(436, 4), ARGUMENT(2), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 2, 0, 1), REFUSE(EPERM), ALLOW);
    /* Signals to itself, and limits of its own: other processes of this user are none of its business. */
    ADD(UNLESS_EQUAL(SYS_kill, 4), ARGUMENT(0), UNLESS_EQUAL((uint32_t)self, 1), ALLOW, REFUSE(EPERM));
    ADD(UNLESS_EQUAL(SYS_tgkill, 4), ARGUMENT(0), UNLESS_EQUAL((uint32_t)self, 1), ALLOW, REFUSE(EPERM));
    ADD(UNLESS_EQUAL(SYS_prlimit64, 5), ARGUMENT(0), IF_EQUAL(0, 1), UNLESS_EQUAL((uint32_t)self, 1), ALLOW,
        REFUSE(EPERM));
    /* The one connection to a display, which the program was handed: its own handler puts that in the place of the socket. */
    if (local_socket > 0)
        ADD(UNLESS_EQUAL(SYS_socket, 4), ARGUMENT(0), UNLESS_EQUAL(AF_UNIX, 1), ANSWER(SECCOMP_RET_TRAP), NUMBER,
            UNLESS_EQUAL(SYS_connect, 4), ARGUMENT(0), UNLESS_EQUAL((uint32_t)local_socket, 1),
            ANSWER(SECCOMP_RET_TRAP), NUMBER);
    /* Sockets that carry a name reach servers of this user, which Landlock does not keep apart: none are made. Pairs
       are, of the kinds that can never be connected to anything else. */
    if (network) {
        ADD(UNLESS_EQUAL(SYS_socket, 6), ARGUMENT(0), IF_EQUAL(AF_INET, 2), IF_EQUAL(AF_INET6, 1),
            UNLESS_EQUAL(AF_NETLINK, 1), ALLOW, REFUSE(EACCES));
    } else {
        ADD(UNLESS_EQUAL(SYS_socket, 1), REFUSE(EACCES));
    }
    ADD(UNLESS_EQUAL(SYS_socketpair, 6), ARGUMENT(1), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xF),
        IF_EQUAL(SOCK_STREAM, 1), UNLESS_EQUAL(SOCK_SEQPACKET, 1), ALLOW, REFUSE(EACCES));
    /* Typing into a terminal it may have got hold of (TIOCSTI, TIOCLINUX), and a file's flags, version, project and
       label, and that it is never written again, by a descriptor for reading (FS_IOC_SETFLAGS, FS_IOC_SETVERSION,
       FS_IOC_FSSETXATTR, FS_IOC_SETFSLABEL, FS_IOC_ENABLE_VERITY). */
    ADD(UNLESS_EQUAL(SYS_ioctl, 10), ARGUMENT(1), IF_EQUAL(0x5412, 7), IF_EQUAL(0x541C, 6), IF_EQUAL(0x40086602, 5),
        IF_EQUAL(0x40087602, 4), IF_EQUAL(0x401C5820, 3), IF_EQUAL(0x41009432, 2), IF_EQUAL(0x40806685, 1), ALLOW,
        REFUSE(EPERM));
    /* Leases hold up whoever opens the file; the other one watches a folder. */
    ADD(UNLESS_EQUAL(SYS_fcntl, 5), ARGUMENT(1), IF_EQUAL(F_SETLEASE, 2), IF_EQUAL(F_NOTIFY, 1), ALLOW, REFUSE(EPERM));
    /* Memory that no limit counts: what is private is RLIMIT_DATA's, memory files the watchdog sees, and each is bounded
       as any file is. */
    ADD(UNLESS_EQUAL(SYS_mmap, 5), ARGUMENT(3), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_SHARED | MAP_ANONYMOUS),
        IF_EQUAL(MAP_SHARED | MAP_ANONYMOUS, 1), ALLOW, REFUSE(EPERM));
    /* Without being dumpable its files in /proc belong to root, and the watchdog sees nothing. */
    /* And it is not to outlive whoever watches it. */
    ADD(UNLESS_EQUAL(SYS_prctl, 5), ARGUMENT(0), IF_EQUAL(PR_SET_PDEATHSIG, 1), UNLESS_EQUAL(PR_SET_DUMPABLE, 1),
        REFUSE(EPERM), ALLOW);
    ADD(ALLOW);

    struct sock_fprog filter = {.len = (unsigned short)length, .filter = program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) ? errno : 0;
}
