#define _GNU_SOURCE
#include "lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The ID of this thread, cached because gettid(2) costs more than the rest of taking a lock. The ID is another one in a
// child of fork(2).
static _Thread_local uint32_t known_thread;

static void forget_thread(void) { known_thread = 0; }

__attribute__((constructor)) static void prepare(void) { pthread_atfork(NULL, NULL, forget_thread); }

static uint32_t this_thread(void) {
    if (known_thread == 0) known_thread = (uint32_t)syscall(SYS_gettid);
    return known_thread;
}

__attribute__((noreturn)) static void stop(const char *fault) {
    fprintf(stderr, "os_unfair_lock: %s\n", fault);
    abort();
}

static uint32_t *word(os_unfair_lock_t lock) { return &lock->_os_unfair_lock_opaque; }

static uint32_t owner(const os_unfair_lock *lock) {
    return __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    uint32_t free = 0;
    return __atomic_compare_exchange_n(word(lock), &free, this_thread(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
    if (os_unfair_lock_trylock(lock)) return;
    if (owner(lock) == this_thread()) stop("the thread that takes the lock has it");
    // The kernel waits until the lock is free, takes it for this thread, and writes the thread's ID into it.
    while (syscall(SYS_futex, word(lock), FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0) != 0) {
        if (errno != EINTR && errno != EAGAIN) stop("the lock's owner has ended, or its memory is no lock");
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    uint32_t held = this_thread();
    if (owner(lock) != held) stop("the thread that gives the lock up does not have it");
    if (__atomic_compare_exchange_n(word(lock), &held, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (syscall(SYS_futex, word(lock), FUTEX_UNLOCK_PI | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0) != 0) {
        stop("the lock cannot be given up");
    }
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
    if (owner(lock) != this_thread()) stop("the thread does not have the lock");
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
    if (owner(lock) == this_thread()) stop("the thread has the lock");
}
