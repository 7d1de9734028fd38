#define _GNU_SOURCE 1
#include "clinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
/* The maximum number of descriptors in a sent packet, and in a received one: the kernel's SCM_MAX_FD. If the control
   message has too little room, the kernel closes the rest before recvmsg(2) returns, on the receiving thread. */
enum { max_descriptors = 64, max_received_descriptors = 253 };

const unsigned clinux_mfd_cloexec = MFD_CLOEXEC, clinux_mfd_allow_sealing = MFD_ALLOW_SEALING;
const int clinux_seal_seal = F_SEAL_SEAL, clinux_seal_shrink = F_SEAL_SHRINK;
const int clinux_seal_grow = F_SEAL_GROW, clinux_seal_write = F_SEAL_WRITE;

int clinux_memfd_create(const char *name, unsigned flags) { return memfd_create(name, flags); }
int clinux_add_seals(int fd, int seals) { return fcntl(fd, F_ADD_SEALS, seals); }
int clinux_get_seals(int fd) { return fcntl(fd, F_GET_SEALS); }

const int clinux_o_tmpfile = O_TMPFILE, clinux_o_path = O_PATH, clinux_o_directory = O_DIRECTORY;
const unsigned clinux_rename_noreplace = RENAME_NOREPLACE, clinux_rename_exchange = RENAME_EXCHANGE;
const uint64_t clinux_resolve_beneath = RESOLVE_BENEATH, clinux_resolve_no_symlinks = RESOLVE_NO_SYMLINKS;
const uint64_t clinux_resolve_no_magiclinks = RESOLVE_NO_MAGICLINKS;

int clinux_openat(int dirfd, const char *path, int flags, mode_t mode) { return openat(dirfd, path, flags, mode); }
int clinux_openat2(int dirfd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
    struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
    return (int)syscall(SYS_openat2, dirfd, path, &how, sizeof how);
}
int clinux_renameat2(int olddir, const char *oldpath, int newdir, const char *newpath, unsigned flags) {
    return renameat2(olddir, oldpath, newdir, newpath, flags);
}
ssize_t clinux_copy_file_range(int in, int64_t *in_offset, int out, int64_t *out_offset, size_t length) {
    return copy_file_range(in, in_offset, out, out_offset, length, 0);
}
int clinux_clone(int out, int in) { return ioctl(out, FICLONE, in); }
int clinux_fallocate(int fd, int mode, int64_t offset, int64_t length) { return fallocate(fd, mode, offset, length); }
ssize_t clinux_fgetxattr(int fd, const char *name, void *value, size_t size) { return fgetxattr(fd, name, value, size); }
int clinux_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags) {
    return fsetxattr(fd, name, value, size, flags);
}
int clinux_fremovexattr(int fd, const char *name) { return fremovexattr(fd, name); }
ssize_t clinux_flistxattr(int fd, char *list, size_t size) { return flistxattr(fd, list, size); }
int64_t clinux_filesystem_type(int fd) {
    struct statfs s;
    return fstatfs(fd, &s) < 0 ? -1 : (int64_t)s.f_type;
}
int64_t clinux_filesystem_free(int fd) {
    struct statfs s;
    return fstatfs(fd, &s) < 0 ? -1 : (int64_t)s.f_bavail * (int64_t)s.f_bsize;
}

int clinux_seqpacket_pair(int out[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, out);
}
int clinux_seqpacket_socket(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

ssize_t clinux_send(int fd, const void *bytes, size_t length, const int *fds, int count) {
    // Without descriptors, send(2) is faster, because the kernel copies and checks less.
    if (count == 0) return send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    struct iovec iov = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
    union { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int) * max_descriptors)]; } control;
    if (count < 0 || count > max_descriptors) { errno = EINVAL; return -1; }
    memset(&control, 0, CMSG_SPACE(sizeof(int) * count));
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t clinux_receive(int fd, void *bytes, size_t capacity, int *fds, int *count, int *truncated) {
    struct iovec iov = {.iov_base = bytes, .iov_len = capacity};
    union { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int) * max_received_descriptors)]; } control;
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    int room = *count;
    *count = 0;
    *truncated = 0;
    ssize_t received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (received < 0) return received;
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) *truncated = 1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t arrived = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < arrived; i++) {
            int one;
            memcpy(&one, CMSG_DATA(header) + i * sizeof(int), sizeof one);
            if (*count < room) fds[(*count)++] = one;
            else { close(one); *truncated = 1; }
        }
    }
    return received;
}

int clinux_peer_credentials(int fd, struct clinux_peer *out) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
    *out = (struct clinux_peer){.pid = credentials.pid, .uid = credentials.uid, .gid = credentials.gid};
    return 0;
}
int clinux_peer_pidfd(int fd) {
    int pidfd = -1;
    socklen_t length = sizeof pidfd;
    return getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) < 0 ? -1 : pidfd;
}

int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
int clinux_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}
int clinux_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
int clinux_signal_descriptor(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK); }
int clinux_take_signal(int fd) {
    struct signalfd_siginfo information;
    return read(fd, &information, sizeof information) == sizeof information ? (int)information.ssi_signo : -1;
}
int clinux_set_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
int clinux_pin_to_processor(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set);
}
int clinux_become_batch_thread(void) {
    struct sched_param parameters = {.sched_priority = 0};
    return sched_setscheduler(0, SCHED_BATCH, &parameters);
}
pid_t clinux_gettid(void) { return (pid_t)syscall(SYS_gettid); }

const uint32_t clinux_epoll_in = EPOLLIN, clinux_epoll_out = EPOLLOUT, clinux_epoll_err = EPOLLERR;
const uint32_t clinux_epoll_hup = EPOLLHUP, clinux_epoll_rdhup = EPOLLRDHUP, clinux_epoll_oneshot = EPOLLONESHOT;
int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static int control(int epoll, int operation, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    return epoll_ctl(epoll, operation, fd, &event);
}
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t data) {
    return control(epoll, EPOLL_CTL_ADD, fd, events, data);
}
int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t data) {
    return control(epoll, EPOLL_CTL_MOD, fd, events, data);
}
int clinux_epoll_remove(int epoll, int fd) { return control(epoll, EPOLL_CTL_DEL, fd, 0, 0); }
int clinux_epoll_wait(int epoll, struct clinux_event *events, int capacity, int timeout_ms) {
    struct epoll_event ready[64];
    if (capacity > 64) capacity = 64;
    int count = epoll_wait(epoll, ready, capacity, timeout_ms);
    for (int i = 0; i < count; i++) events[i] = (struct clinux_event){.events = ready[i].events, .data = ready[i].data.u64};
    return count;
}
int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
