#define _GNU_SOURCE
#include "cfuse.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(struct cfuse_init_out) == sizeof(struct fuse_init_out), "the size never changes");
_Static_assert(sizeof(struct cfuse_open_out) == sizeof(struct fuse_open_out), "the size never changes");

/* The `fuse_backing_map` of protocol 7.40, which older headers lack. */
struct backing_map {
    int32_t fd;
    uint32_t flags;
    uint64_t padding;
};

int cfuse_clone(int fresh, int device) {
    uint32_t number = (uint32_t)device;
    return ioctl(fresh, FUSE_DEV_IOC_CLONE, &number);
}

int cfuse_backing_open(int device, int file) {
    struct backing_map map = {.fd = file};
    return ioctl(device, _IOW(FUSE_DEV_IOC_MAGIC, 1, struct backing_map), &map);
}

int cfuse_backing_close(int device, int identifier) {
    uint32_t number = (uint32_t)identifier;
    return ioctl(device, _IOW(FUSE_DEV_IOC_MAGIC, 2, uint32_t), &number);
}

const unsigned long cfuse_nosuid = MS_NOSUID, cfuse_nodev = MS_NODEV, cfuse_rdonly = MS_RDONLY, cfuse_noatime = MS_NOATIME;

int cfuse_mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data) {
    return mount(source, target, type, flags, data);
}

int cfuse_detach(const char *target) { return umount2(target, MNT_DETACH | UMOUNT_NOFOLLOW); }

int cfuse_abort(const char *target) { return umount2(target, MNT_FORCE | MNT_DETACH | UMOUNT_NOFOLLOW); }

int cfuse_probe(const char *path) {
    struct statx status;
    return statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC | AT_NO_AUTOMOUNT, STATX_MODE, &status);
}

int cfuse_socket_pair(int out[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out); }

int cfuse_receive_descriptor(int socket) {
    char byte;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec vector = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t count;
    do {
        count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (count == 0 || !header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(sizeof(int))) {
        errno = 0;
        return -1;
    }
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

ssize_t cfuse_write(int device, const void *header, size_t header_size, const void *body, size_t body_size) {
    struct iovec parts[2] = {{(void *)header, header_size}, {(void *)body, body_size}};
    return writev(device, parts, body_size > 0 ? 2 : 1);
}

int cfuse_part_descriptors(int kept) {
    const unsigned unshare = 1u << 1; /* CLOSE_RANGE_UNSHARE */
    /* The first call also gives the thread a table of its own, so that the other descriptors are closed only in that
       table. */
    if (syscall(SYS_close_range, (unsigned)kept + 1, ~0u, unshare) < 0) return -1;
    return kept > 0 ? (int)syscall(SYS_close_range, 0u, (unsigned)kept - 1, 0u) : 0;
}

static int set_capabilities(uint32_t effective, uint32_t permitted, uint32_t inheritable) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {
        {.effective = effective, .permitted = permitted, .inheritable = inheritable}, {0}};
    return (int)syscall(SYS_capset, &header, data);
}

int cfuse_hand_down_capabilities(void) {
    static const int needed[] = {CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID};
    const uint32_t set = 1u << CAP_SYS_ADMIN | 1u << CAP_SETUID | 1u << CAP_SETGID;
    if (setgroups(0, NULL) < 0) return -1;
    if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP | SECBIT_NOROOT, 0, 0, 0) < 0) return -1;
    if (set_capabilities(0, set, set) < 0) return -1;
    /* With SECBIT_NOROOT, a program that root starts gets only the ambient capabilities. */
    for (int i = 0; i < 3; i++)
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, needed[i], 0, 0) < 0) return -1;
    return 0;
}

int cfuse_become_server(uid_t user, gid_t group) {
    const uint32_t kept = 1u << CAP_SYS_ADMIN;
    /* The real and the saved IDs stay root's, since they determine which users may send signals. */
    if (setresgid((gid_t)-1, group, (gid_t)-1) < 0 || setresuid((uid_t)-1, user, (uid_t)-1) < 0) return -1;
    if (set_capabilities(kept, kept, 0) < 0) return -1;
    /* This comes last, because a change of the user resets the signal. */
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}
