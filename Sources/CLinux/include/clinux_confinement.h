/// Starting a program that the kernel keeps within limits: Landlock, seccomp, no-new-privileges, resource limits.
#pragma once
#include <stdint.h>
#include <sys/types.h>

/// The kernel's Landlock interface version, 0 where it has none or it is off.
int clinux_landlock_version(void);

/// What a path may be used for.
enum clinux_access {
    CLINUX_ACCESS_READ = 1,
    CLINUX_ACCESS_EXECUTE = 2,
    /// Everything that makes, changes and removes files.
    CLINUX_ACCESS_WRITE = 4,
    /// Changing the contents of files that are there: none is made or removed.
    CLINUX_ACCESS_CHANGE = 8,
    /// No use but a condition: the path is left out where a symbolic link has come to be on the way to it.
    CLINUX_ACCESS_WITHOUT_LINKS = 16,
};

struct clinux_confinement {
    const char *const *paths;
    const uint32_t *accesses;
    size_t path_count;
    const char *working_folder;
    /// Whether sockets of the internet families may be made.
    int network;
    /// Above 0: the number that a local socket gets that the program makes. Making one, and connecting that number, then raise SIGSYS,
    /// for a handler such as clinux_serve_display's, and do nothing by themselves. Else no local socket is made.
    int local_socket;
    /// Bytes of private memory (RLIMIT_DATA), bytes of one file, memory files too (RLIMIT_FSIZE), and open descriptors.
    uint64_t memory;
    uint64_t file_size;
    uint64_t descriptors;
};

/// What stopped a confined start.
enum clinux_stage {
    CLINUX_STAGE_FORK = 1,
    CLINUX_STAGE_RULES = 2,
    CLINUX_STAGE_DESCRIPTORS = 3,
    CLINUX_STAGE_LIMITS = 4,
    CLINUX_STAGE_LANDLOCK = 5,
    CLINUX_STAGE_FILTER = 6,
    CLINUX_STAGE_FOLDER = 7,
    CLINUX_STAGE_EXECUTE = 8,
};

/// Starts a program as `clinux_spawn` does, in a session of its own and confined from its first instruction on. A path
/// that does not exist is left out. Returns 0 or an error number, with the stage that failed.
int clinux_spawn_confined(pid_t *pid, const char *path, char *const argv[], char *const envp[], const int *descriptors,
                          int count, const struct clinux_confinement *confinement, int *stage);
