// Low-level locks, as `os/lock.h` declares them: a word that identifies its owner, so that a waiting thread lends the
// owner its priority.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct os_unfair_lock_s {
    /// The ID of the owner's thread, and whether other threads wait.
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

/// Waits for the lock and takes it. Ends the process if the thread owns it already.
void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock);
/// Takes the lock if it is free.
bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull lock);
/// Releases the lock. Ends the process if the thread does not own it.
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock);
/// Ends the process unless the thread owns the lock.
void os_unfair_lock_assert_owner(const os_unfair_lock *_Nonnull lock);
/// Ends the process if the thread owns the lock.
void os_unfair_lock_assert_not_owner(const os_unfair_lock *_Nonnull lock);

#ifdef __cplusplus
}
#endif
