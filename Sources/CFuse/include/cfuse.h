/// The structs of the kernel's FUSE protocol, and the parts of it that Swift cannot express.
///
/// `linux/fuse.h` has all structs that have not changed since protocol 7.38. Changed structs are defined here under
/// other names, so that the version of the header does not matter.
#pragma once
#include <linux/fuse.h>
#include <stdint.h>
#include <sys/types.h>

/// `fuse_init_out` of protocol 7.41.
struct cfuse_init_out {
    uint32_t major;
    uint32_t minor;
    uint32_t max_readahead;
    uint32_t flags;
    uint16_t max_background;
    uint16_t congestion_threshold;
    uint32_t max_write;
    uint32_t time_gran;
    uint16_t max_pages;
    uint16_t map_alignment;
    uint32_t flags2;
    uint32_t max_stack_depth;
    uint32_t unused[6];
};

/// `fuse_open_out` of protocol 7.40.
struct cfuse_open_out {
    uint64_t fh;
    uint32_t open_flags;
    int32_t backing_id;
};

/// The bit of a request's number that marks a resent request (protocol 7.40).
static const uint64_t cfuse_unique_resend = 1ULL << 63;
/// Notifications of protocols 7.40 and 7.44, without a body.
static const int32_t cfuse_notify_resend = 7, cfuse_notify_inc_epoch = 8;

/// Makes a newly opened device a further channel of a session (`FUSE_DEV_IOC_CLONE`).
int cfuse_clone(int fresh, int device);
/// Registers a backing file (`FUSE_DEV_IOC_BACKING_OPEN`). Returns its positive ID, or -1.
int cfuse_backing_open(int device, int file);
int cfuse_backing_close(int device, int identifier);

/// Mounts a FUSE device with mount(2). `data` contains the options, which begin with `fd=`.
int cfuse_mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data);
extern const unsigned long cfuse_nosuid, cfuse_nodev, cfuse_rdonly, cfuse_noatime;
/// Unmounts with MNT_DETACH: the mount disappears at once, and is released when it is not in use any more.
int cfuse_detach(const char *target);
/// Unmounts as `cfuse_detach` does, and aborts the session with all waiting requests (MNT_FORCE).
int cfuse_abort(const char *target);
/// Calls statx(2) with flags that cause a request to the server of the file system, and prevent automatic mounts.
/// Returns 0 if the path leads somewhere, or -1 with the errno that any use of the path would give.
int cfuse_probe(const char *path);

/// Creates two connected stream sockets, both close-on-exec, over which fusermount3 sends the descriptor of the mounted
/// device.
int cfuse_socket_pair(int out[2]);
/// Receives the descriptor that fusermount3 has sent, close-on-exec, without waiting. Returns -1 if none was sent.
int cfuse_receive_descriptor(int socket);

/// Writes a reply: a header, and a body that may be empty.
ssize_t cfuse_write(int device, const void *header, size_t header_size, const void *body, size_t body_size);

/// Gives the calling thread a descriptor table of its own, which contains only `kept`. Returns -1 if the kernel does
/// not support that; in this case nothing is changed.
int cfuse_part_descriptors(int kept);

/// Drops all capabilities of root except those that `cfuse_become_server` needs, and keeps those only for programs
/// that this process starts. The process must have only one thread.
int cfuse_hand_down_capabilities(void);
/// Sets the effective user and group, with whose permissions files are opened, and drops all capabilities except
/// CAP_SYS_ADMIN. The process is killed when its parent ends. The user cannot send signals to the process. The process
/// must have only one thread.
int cfuse_become_server(uid_t user, gid_t group);
