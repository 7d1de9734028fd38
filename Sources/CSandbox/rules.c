#define _GNU_SOURCE 1
#include "rules.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock's interface up to version 7, from its documentation (userspace-api/landlock), because a distribution's
   headers may be older than its kernel. */
struct ruleset_attributes { uint64_t files, network, scopes; };
struct path_rule { uint64_t allowed; int32_t parent; } __attribute__((packed));
enum { create_ruleset = 444, add_rule = 445, restrict_self = 446 };

#define RIGHT_EXECUTE (1ULL << 0)
#define RIGHT_WRITE_FILE (1ULL << 1)
#define RIGHT_READ_FILE (1ULL << 2)
#define RIGHT_READ_DIRECTORY (1ULL << 3)
#define RIGHT_TRUNCATE (1ULL << 14)
#define RIGHT_DEVICE_CONTROL (1ULL << 15)
/* The rights to remove directories and files, to create directories, files, sockets, pipes and links, and to move an
   item to another directory, but not to create devices. */
#define RIGHT_CHANGE_DIRECTORY (1ULL << 4 | 1ULL << 5 | 1ULL << 7 | 1ULL << 8 | 1ULL << 9 | 1ULL << 10 | 1ULL << 12 | 1ULL << 13)
#define RIGHTS_OF_FILES (RIGHT_EXECUTE | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_DEVICE_CONTROL)

int csandbox_landlock_version(void) {
    long version = syscall(create_ruleset, NULL, 0, 1);
    return version < 0 ? 0 : (int)version;
}

static int version_for(const struct csandbox_confinement *confinement) {
    int version = csandbox_landlock_version();
    return version > confinement->newest_landlock ? confinement->newest_landlock : version;
}

static uint64_t handled_rights(int version) {
    int bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return (1ULL << bits) - 1;
}

/* The argument of openat2(2), which older headers lack. */
struct open_how_ { uint64_t flags, mode, resolve; };

int sandbox_open_without_links(int directory, const char *path, int flags) {
    /* 437 is openat2, and 4 is RESOLVE_NO_SYMLINKS. If the kernel lacks the call or a filter refuses it, O_NOFOLLOW has
       to suffice. A link at the end of the path is then opened itself, and a rule for a link allows nothing. */
    struct open_how_ how = {.flags = (uint64_t)(flags | O_PATH | O_CLOEXEC), .resolve = 4};
    int fd = (int)syscall(437, directory, path, &how, sizeof how);
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? openat(directory, path, flags | O_PATH | O_NOFOLLOW | O_CLOEXEC) : fd;
}

int sandbox_is_left_out(int error) {
    switch (error) {
    case ENOENT: case EACCES: case ENOTDIR: case ELOOP: case ENAMETOOLONG:
    /* These are errors of a file system that does not respond any more. */
    case ENOTCONN: case EIO: case ESTALE: case ETIMEDOUT: case EHOSTDOWN: return 1;
    default: return 0;
    }
}

static int allow(int ruleset, uint64_t handled, const char *path, uint32_t access) {
    int fd = access & CSANDBOX_ACCESS_WITHOUT_LINKS ? sandbox_open_without_links(AT_FDCWD, path, 0) : open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return sandbox_is_left_out(errno) ? 0 : errno;
    struct stat status;
    if (fstat(fd, &status)) {
        int error = errno;
        close(fd);
        return error;
    }
    uint64_t rights = 0;
    if (access & CSANDBOX_ACCESS_READ) rights |= RIGHT_READ_FILE | RIGHT_READ_DIRECTORY;
    if (access & CSANDBOX_ACCESS_EXECUTE) rights |= RIGHT_EXECUTE;
    if (access & CSANDBOX_ACCESS_WRITE) rights |= RIGHT_WRITE_FILE | RIGHT_TRUNCATE | RIGHT_CHANGE_DIRECTORY;
    if (access & CSANDBOX_ACCESS_CHANGE) rights |= RIGHT_WRITE_FILE | RIGHT_TRUNCATE;
    if (!S_ISDIR(status.st_mode)) rights &= RIGHTS_OF_FILES;
    struct path_rule rule = {.allowed = rights & handled, .parent = fd};
    int error = rule.allowed && syscall(add_rule, ruleset, 1, &rule, 0) ? errno : 0;
    close(fd);
    return error;
}

int sandbox_rules_make(const struct csandbox_confinement *confinement, int *error) {
    *error = 0;
    int version = version_for(confinement);
    if (version == 0) return -1;
    uint64_t handled = handled_rights(version);
    struct ruleset_attributes attributes = {
        .files = handled,
        /* The rights to bind and to connect TCP sockets. */
        .network = version >= 4 && !confinement->network ? 3 : 0,
        /* The scopes of abstract sockets and signals. */
        .scopes = version >= 6 ? 3 : 0,
    };
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int ruleset = (int)syscall(create_ruleset, &attributes, size, 0);
    if (ruleset < 0) {
        *error = errno;
        return -1;
    }
    for (size_t i = 0; i < confinement->path_count && !*error; i++)
        *error = allow(ruleset, handled, confinement->paths[i], confinement->accesses[i]);
    if (*error) {
        close(ruleset);
        return -1;
    }
    return ruleset;
}

int sandbox_rules_add_own(int ruleset) { return allow(ruleset, handled_rights(1), "/proc/self", CSANDBOX_ACCESS_READ); }

int sandbox_rules_apply(int ruleset) { return syscall(restrict_self, ruleset, 0) ? errno : 0; }
