/// Functions that start a program confined by the kernel: by namespaces, Landlock, seccomp, no-new-privileges and
/// resource limits.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Returns the version of the kernel's Landlock interface; 0 if the kernel has no Landlock, or if it is turned off.
int csandbox_landlock_version(void);

/// The kinds of access to a path.
enum csandbox_access {
    CSANDBOX_ACCESS_READ = 1,
    CSANDBOX_ACCESS_EXECUTE = 2,
    /// Creating, changing and removing files.
    CSANDBOX_ACCESS_WRITE = 4,
    /// Changing the contents of existing files, but not creating or removing files.
    CSANDBOX_ACCESS_CHANGE = 8,
    /// A condition: the path is left out if it contains a symbolic link.
    CSANDBOX_ACCESS_WITHOUT_LINKS = 16,
};

/// The namespaces that a program can get. All of them require a user namespace. PID namespaces are not used, because
/// the first process of one ignores the signals that it sends itself, so that abort(3) would end with another signal.
enum csandbox_namespaces {
    CSANDBOX_NAMESPACE_IPC = 1,
    CSANDBOX_NAMESPACE_HOST_NAME = 2,
    CSANDBOX_NAMESPACE_NETWORK = 4,
    /// A mount namespace with a root directory that has only the mounts and links of `csandbox_confinement`, and a
    /// /proc with only the program's own process.
    CSANDBOX_NAMESPACE_FILES = 8,
};

struct csandbox_confinement {
    /// The paths of Landlock's rules, with their csandbox_access.
    const char *const *paths;
    const uint32_t *accesses;
    size_t path_count;
    /// The paths that exist in the new root directory, parents first, with their csandbox_access. They contain no
    /// symbolic links, and none of them is beneath /proc.
    const char *const *mounts;
    const uint32_t *mount_accesses;
    size_t mount_count;
    /// The symbolic links in the new root directory, as pairs of a path and a target.
    const char *const *links;
    size_t link_count;
    const char *working_directory;
    /// Whether internet sockets may be created.
    int network;
    /// If above 0, the descriptor number that a local socket gets when the program creates one. Creating a local
    /// socket, or connecting this descriptor, raises SIGSYS, for a handler such as that of clinux_serve_display. If 0,
    /// local sockets are refused.
    int local_socket;
    /// The maximum number of bytes of private memory (RLIMIT_DATA), of bytes of one file, memory files included
    /// (RLIMIT_FSIZE), and of open descriptors (RLIMIT_NOFILE).
    uint64_t memory;
    uint64_t file_size;
    uint64_t descriptors;
    /// The maximum number of threads (RLIMIT_NPROC). It is set only with a user namespace, for which the kernel counts
    /// threads separately.
    uint64_t threads;
    /// The csandbox_namespaces that the program gets, as far as the system permits them.
    uint32_t namespaces;
    /// The newest version of Landlock to use; tests set it to that of an older kernel.
    int newest_landlock;
    /// A descriptor of the file cgroup.procs of the control group to join, or -1.
    int control_group;
};

/// The step at which a confined start failed.
enum csandbox_stage {
    CSANDBOX_STAGE_FORK = 1,
    CSANDBOX_STAGE_RULES = 2,
    CSANDBOX_STAGE_DESCRIPTORS = 3,
    CSANDBOX_STAGE_LIMITS = 4,
    CSANDBOX_STAGE_LANDLOCK = 5,
    CSANDBOX_STAGE_FILTER = 6,
    CSANDBOX_STAGE_DIRECTORY = 7,
    CSANDBOX_STAGE_EXECUTE = 8,
    CSANDBOX_STAGE_NAMESPACES = 9,
    CSANDBOX_STAGE_CAPABILITIES = 10,
    CSANDBOX_STAGE_CONTROL_GROUP = 11,
    CSANDBOX_STAGE_ROOT = 12,
};

struct csandbox_result {
    pid_t process;
    /// 0, or the csandbox_stage that failed.
    int stage;
    /// The namespaces that the program has.
    uint32_t namespaces;
    /// The error number with which the system refused other namespaces that were tried, or 0.
    int refusal;
};

/// Starts a program as `clinux_spawn` does, in a session of its own and confined from its first instruction on. A
/// path that does not exist is left out. If the system refuses namespaces, the program starts with those that it
/// permits. Returns 0 or an error number.
int csandbox_start(const char *path, char *const argv[], char *const envp[], const int *descriptors, int count,
                   const struct csandbox_confinement *confinement, struct csandbox_result *result);

/// The machine for which a filter is built.
enum csandbox_machine { CSANDBOX_X86_64 = 0, CSANDBOX_ARM64 = 1 };

/// An instruction of the kernel's packet filter, with the layout of struct sock_filter.
struct csandbox_instruction {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t value;
};

/// The maximum number of instructions of a filter that is applied.
enum { CSANDBOX_MOST_INSTRUCTIONS = 2048 };

/// Builds the system call filter for a machine, for tests. The caller frees `*program`. Returns 0 or an error number.
int csandbox_filter(enum csandbox_machine machine, int network, int local_socket, struct csandbox_instruction **program, size_t *length);
