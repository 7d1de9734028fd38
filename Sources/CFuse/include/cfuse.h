/// What the kernel's FUSE protocol looks like in memory, and what of it Swift cannot say.
///
/// `linux/fuse.h` has all structs that did not change since protocol 7.38. Those that did are here under names of our own, so that
/// it does not matter how new the header is.
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

/// Protocol 7.40: the bit of a request's number that says that it comes again.
static const uint64_t cfuse_unique_resend = 1ULL << 63;
/// Notifications of protocols 7.40 and 7.44, without a body.
static const int32_t cfuse_notify_resend = 7, cfuse_notify_inc_epoch = 8;

/// `FUSE_DEV_IOC_CLONE`: makes a freshly opened device one more channel of a session.
int cfuse_clone(int fresh, int device);
/// `FUSE_DEV_IOC_BACKING_OPEN`: a positive number for the file, or -1.
int cfuse_backing_open(int device, int file);
int cfuse_backing_close(int device, int identifier);

/// mount(2) for a FUSE device; `data` has the options that begin with `fd=`.
int cfuse_mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data);
extern const unsigned long cfuse_nosuid, cfuse_nodev, cfuse_rdonly, cfuse_noatime;
/// umount2(2) with MNT_DETACH: gone from sight at once, and wholly when nobody uses it any more.
int cfuse_detach(const char *target);
/// Likewise, and ends its session with all requests that wait (MNT_FORCE).
int cfuse_abort(const char *target);
/// `statx` that asks nobody: 0 where the path leads somewhere, else -1 with errno as any use of it would give it.
int cfuse_probe(const char *path);

/// Socket over which fusermount3 sends the descriptor of the device that it has mounted: two connected stream sockets, both
/// close-on-exec.
int cfuse_socket_pair(int out[2]);
/// Receives that descriptor, close-on-exec, without waiting; -1 where none was sent.
int cfuse_receive_descriptor(int socket);

/// Writes an answer: a header, and a body that may be empty.
ssize_t cfuse_write(int device, const void *header, size_t header_size, const void *body, size_t body_size);

/// Gives the calling thread a table of descriptors of its own, in which there is only this one; -1 where the kernel cannot, and then
/// nothing was done.
int cfuse_part_descriptors(int kept);

/// Keeps of root's rights what `cfuse_become_server` takes, and that for the programs that this one starts only. For a program of one
/// thread.
int cfuse_hand_down_capabilities(void);
/// Makes a user and a group those in whose name files are opened, keeps only CAP_SYS_ADMIN, and has the process killed when the one
/// ends that has started it. The user cannot send it signals. For a program of one thread.
int cfuse_become_server(uid_t user, gid_t group);
