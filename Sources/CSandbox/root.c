#define _GNU_SOURCE 1
#include "root.h"
#include "rules.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls and constants, some of which Debian 12's headers lack. System call numbers since Linux 5.1 are the same
   on all machines. */
enum { open_tree_ = 428, move_mount_ = 429, mount_setattr_ = 442 };
enum { clone_tree = 1, recursive = 0x8000, empty_path = 0x1000, from_empty_path = 4, to_empty_path = 0x40 };
struct mount_attributes { uint64_t set, clear, propagation, user_namespace; };
enum { read_only = 1, no_set_user = 2, no_devices = 4, no_programs = 8 };

static int write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    int error = write(file, text, strlen(text)) < 0 ? errno : 0;
    close(file);
    return error;
}

/* Writes a number in decimal, without sprintf, which may allocate memory. Returns the end of the text. */
static char *write_digits(char *out, unsigned number) {
    char digits[16];
    unsigned length = 0;
    do digits[length++] = (char)('0' + number % 10);
    while (number /= 10);
    while (length > 0) *out++ = digits[--length];
    *out = 0;
    return out;
}

static int write_map(const char *path, unsigned number) {
    char text[64], *end = write_digits(text, number);
    *end++ = ' ';
    end = write_digits(end, number);
    memcpy(end, " 1", 3);
    return write_file(path, text);
}

int sandbox_map_user(uid_t user, gid_t group) {
    /* Without the first line, the kernel would not permit a mapping of the group. */
    int error = write_file("/proc/self/setgroups", "deny");
    if (!error) error = write_map("/proc/self/uid_map", user);
    return error ? error : write_map("/proc/self/gid_map", group);
}

/* Opens the place of a path in the new root directory, and creates the missing parts of the path. No link is followed,
   because a directory that is mounted there may be changed by other programs. Returns -1 with errno set on failure. */
static int open_place(int root, const char *path, int is_directory, char *name) {
    size_t length = strlen(path);
    if (length >= SANDBOX_LONGEST_PATH) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int found = sandbox_open_without_links(root, path, 0);
    if (found >= 0 || errno != ENOENT) return found;
    memcpy(name, path, length + 1);
    for (char *next = name; (next = strchr(next, '/')); *next++ = '/') {
        *next = 0;
        if (mkdirat(root, name, 0755) && errno != EEXIST) return -1;
    }
    if (is_directory ? mkdirat(root, name, 0755) : mknodat(root, name, S_IFREG | 0644, 0)) return -1;
    return sandbox_open_without_links(root, path, 0);
}

/* Opens a directory or a file that is to be mounted. Returns 0 or an error number. `source` becomes -1 if the directory
   or file is left out. */
static int open_source(int directory, const char *path, int *source, struct stat *status) {
    *source = sandbox_open_without_links(directory, path, 0);
    if (*source < 0) return sandbox_is_left_out(errno) ? 0 : errno;
    int error = fstat(*source, status) ? errno : 0;
    if (!error && !S_ISLNK(status->st_mode)) return 0;
    close(*source);
    *source = -1;
    return sandbox_is_left_out(error) ? 0 : error;
}

/* Mounts a directory or a file a second time, at a path of the new root directory. `depth` is `recursive` if this
   includes the mounts beneath the directory; otherwise it is 0. Closes `source`. */
static int mount_copy(int source, int is_directory, int root, const char *path, int depth, struct mount_attributes change, char *name) {
    int tree = -1, place = open_place(root, path, is_directory, name), error = place < 0 ? errno : 0;
    if (!error) {
        tree = (int)syscall(open_tree_, source, "", clone_tree | O_CLOEXEC | empty_path | depth);
        if (tree < 0 || syscall(mount_setattr_, tree, "", empty_path | depth, &change, sizeof change) ||
            syscall(move_mount_, tree, "", place, "", from_empty_path | to_empty_path))
            error = errno;
    }
    if (tree >= 0) close(tree);
    if (place >= 0) close(place);
    close(source);
    return error;
}

static int add_mount(int root, const char *path, uint32_t access, char *name) {
    struct stat status;
    int source, error = open_source(AT_FDCWD, path, &source, &status);
    if (source < 0) return error;
    const int writes = access & (CSANDBOX_ACCESS_WRITE | CSANDBOX_ACCESS_CHANGE);
    /* A directory that can only be read does not get later mounts beneath it, because they would not have these
       attributes. Beneath a directory that can be changed, later mounts appear as they do outside. */
    const struct mount_attributes change = {
        .set = no_set_user | (S_ISCHR(status.st_mode) ? 0 : no_devices) | (writes ? 0 : read_only),
        .propagation = writes ? 0 : MS_PRIVATE,
    };
    return mount_copy(source, S_ISDIR(status.st_mode), root, path + 1, recursive, change, name);
}

static int add_link(int root, const char *path, const char *target, char *parent, char *name) {
    const char *slash = strrchr(path, '/');
    if (slash != path) {
        size_t length = (size_t)(slash - path);
        if (length >= SANDBOX_LONGEST_PATH) return ENAMETOOLONG;
        memcpy(parent, path, length);
        parent[length] = 0;
        int directory = open_place(root, parent + 1, 1, name);
        if (directory < 0) return errno == EROFS || errno == ELOOP ? 0 : errno;
        close(directory);
    }
    /* A mounted directory may have the link already. */
    return symlinkat(target, root, path + 1) && errno != EEXIST && errno != EROFS ? errno : 0;
}

/* Mounts a directory or a file of the system's /proc, without the mounts beneath it. When memory is short, the kernel
   may drop the inode of a file in /proc together with Landlock's rule for it. The mount prevents that. */
static int add_proc_file(int proc, int root, const char *name, char *room) {
    struct stat status;
    int source, error = open_source(proc, name, &source, &status);
    if (source < 0) return error;
    const struct mount_attributes change = {.set = no_set_user | no_devices | no_programs, .propagation = MS_PRIVATE};
    return mount_copy(source, S_ISDIR(status.st_mode), root, name, 0, change, room);
}

/* Creates a /proc that has only the process's own directory, and those of its files that are among the confinement's
   paths. Other processes are absent. */
static int add_proc(int proc, int root, const struct csandbox_confinement *confinement, char *room) {
    char own[16];
    write_digits(own, (unsigned)getpid());
    if (mkdirat(root, "proc", 0755)) return errno;
    const int place = openat(root, "proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (place < 0) return errno;
    int error = symlinkat(own, place, "self") ? errno : add_proc_file(proc, place, own, room);
    for (size_t i = 0; i < confinement->path_count && !error; i++)
        if (!strncmp(confinement->paths[i], "/proc/", 6)) error = add_proc_file(proc, place, confinement->paths[i] + 6, room);
    close(place);
    return error;
}

int sandbox_enter_root(const struct csandbox_confinement *confinement, struct sandbox_room *room) {
    int error = 0;
    const int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) return errno;
    /* The new root directory is mounted over /proc, because no path that is mounted later leads there. */
    if (mount("sandbox", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "size=8m,nr_inodes=65536,mode=0755")) return errno;
    const int root = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return errno;
    for (size_t i = 0; i < confinement->mount_count && !error; i++)
        error = add_mount(root, confinement->mounts[i], confinement->mount_accesses[i], room->name);
    for (size_t i = 0; i < confinement->link_count && !error; i++)
        error = add_link(root, confinement->links[2 * i], confinement->links[2 * i + 1], room->parent, room->name);
    if (!error) error = add_proc(proc, root, confinement, room->name);
    if (error) return error;
    struct mount_attributes change = {.set = read_only};
    if (fchdir(root) || syscall(mount_setattr_, root, "", empty_path, &change, sizeof change)) return errno;
    /* After the first call, the old root is mounted over the new one. The second call removes it, see pivot_root(2). */
    if (syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/")) return errno;
    return 0;
}

int sandbox_drop_capabilities(void) {
    /* In a process without capabilities these calls fail, which does no harm. */
    for (int capability = 0; capability < 64; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && errno == EINVAL) break;
    prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                                 SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
          0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    return syscall(SYS_capset, &header, none) ? errno : 0;
}
