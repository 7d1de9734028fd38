#define _GNU_SOURCE 1
#include "clinux.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

int clinux_spawn(pid_t *pid, const char *path, char *const argv[], char *const envp[], const int *descriptors,
                 int count, const char *folder, int new_session) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    /* The descriptors are first duplicated to numbers above all of them, so that none is overwritten before it was
       copied to its place. */
    int away = count;
    for (int i = 0; i < count; i++)
        if (descriptors[i] >= away) away = descriptors[i] + 1;
    for (int i = 0; i < count && !error; i++)
        if (descriptors[i] >= 0) error = posix_spawn_file_actions_adddup2(&actions, descriptors[i], away + i);
    for (int i = 0; i < count && !error; i++)
        error = descriptors[i] >= 0 ? posix_spawn_file_actions_adddup2(&actions, away + i, i)
                                    : posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, count);
    if (!error && folder) error = posix_spawn_file_actions_addchdir_np(&actions, folder);

    sigset_t none, standard;
    sigemptyset(&none);
    /* All signals get their default action, because exec preserves ignored ones, so that the program would ignore those
       that this process ignores. */
    sigfillset(&standard);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (new_session) flags |= POSIX_SPAWN_SETSID;
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &standard);
    if (!error) error = posix_spawnattr_setflags(&attributes, flags);
    if (!error) error = posix_spawn(pid, path, &actions, &attributes, argv, envp);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
