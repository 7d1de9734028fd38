/// System calls and macros that Swift's Glibc overlay hides. `_GNU_SOURCE` is defined in the `.c` files only: defined
/// here, it would change Glibc's module for every importer.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/stat.h>

/* Memory files */
extern const unsigned clinux_mfd_cloexec, clinux_mfd_allow_sealing;
extern const int clinux_seal_seal, clinux_seal_shrink, clinux_seal_grow, clinux_seal_write;
int clinux_memfd_create(const char *name, unsigned flags);
int clinux_add_seals(int fd, int seals);
int clinux_get_seals(int fd);

/* Files */
extern const int clinux_o_tmpfile, clinux_o_path, clinux_o_directory;
extern const unsigned clinux_rename_noreplace, clinux_rename_exchange;
extern const uint64_t clinux_resolve_beneath, clinux_resolve_no_symlinks, clinux_resolve_no_magiclinks;
int clinux_openat(int dirfd, const char *path, int flags, mode_t mode);
int clinux_openat2(int dirfd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve);
int clinux_renameat2(int olddir, const char *oldpath, int newdir, const char *newpath, unsigned flags);
ssize_t clinux_copy_file_range(int in, int64_t *in_offset, int out, int64_t *out_offset, size_t length);
int clinux_clone(int out, int in);
int clinux_fallocate(int fd, int mode, int64_t offset, int64_t length);
ssize_t clinux_fgetxattr(int fd, const char *name, void *value, size_t size);
int clinux_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags);
int clinux_fremovexattr(int fd, const char *name);
ssize_t clinux_flistxattr(int fd, char *list, size_t size);
/// Returns the type of the file system (`f_type` of statfs), or -1.
int64_t clinux_filesystem_type(int fd);
/// Returns the bytes available to this user on the file system of `fd`, or -1.
int64_t clinux_filesystem_free(int fd);

/* Sockets */
struct clinux_peer { int32_t pid; uint32_t uid; uint32_t gid; };
/// Creates a pair of connected sequenced-packet sockets, close-on-exec and non-blocking.
int clinux_seqpacket_pair(int out[2]);
int clinux_seqpacket_socket(void);
int clinux_accept(int listener);
/// Sends one packet with up to 64 descriptors, never raising SIGPIPE and never blocking.
ssize_t clinux_send(int fd, const void *bytes, size_t length, const int *fds, int count);
/// Receives one packet. Descriptors arrive close-on-exec. `*count` is the room in `fds` before the call, and the number
/// of received descriptors after it. `*truncated` is set if the packet or its descriptors did not fit.
ssize_t clinux_receive(int fd, void *bytes, size_t capacity, int *fds, int *count, int *truncated);
int clinux_peer_credentials(int fd, struct clinux_peer *out);
/// Returns a pidfd of the process that connected the other end (SO_PEERPIDFD, Linux 6.5), or -1.
int clinux_peer_pidfd(int fd);

/* Processes */
int clinux_pidfd_open(pid_t pid);
int clinux_pidfd_send_signal(int pidfd, int signal);
/// Whether the process ignores a signal, as one started by nohup(1) ignores SIGHUP.
int clinux_is_ignored(int signal);
/// Returns a descriptor that is readable while one of the signals is pending. The signals must be blocked.
int clinux_signal_descriptor(const sigset_t *signals);
/// Removes a pending signal. Returns its number, or -1 if there is none.
int clinux_take_signal(int fd);
int clinux_set_name(const char *name);
int clinux_pin_to_processor(int processor);
/// Sets SCHED_BATCH for the calling thread: when it wakes, it does not preempt the thread that woke it.
int clinux_become_batch_thread(void);
pid_t clinux_gettid(void);
/// Starts a program. In the child, descriptor `i` is `descriptors[i]`, or `/dev/null` if that is negative. All others
/// are closed, and no signal is blocked or ignored. Its working directory is `folder`, or the caller's if that is
/// null. With `new_session`, the child leads a session of its own. Returns 0 or an error number, as posix_spawn does.
int clinux_spawn(pid_t *pid, const char *path, char *const argv[], char *const envp[], const int *descriptors,
                 int count, const char *folder, int new_session);

/* Waiting */
struct clinux_event { uint32_t events; uint64_t data; };
extern const uint32_t clinux_epoll_in, clinux_epoll_out, clinux_epoll_err, clinux_epoll_hup, clinux_epoll_rdhup, clinux_epoll_oneshot;
int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t data);
int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t data);
int clinux_epoll_remove(int epoll, int fd);
int clinux_epoll_wait(int epoll, struct clinux_event *events, int capacity, int timeout_ms);
int clinux_eventfd(void);
