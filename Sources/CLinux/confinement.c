#define _GNU_SOURCE 1
#include "clinux_confinement.h"
#include "confinement_filter.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The kernel's headers of a distribution are older than its kernel may be: the interface, from its documentation
   (userspace-api/landlock), up to version 7. */
struct ruleset_attributes { uint64_t files, network, scopes; };
struct path_rule { uint64_t allowed; int32_t parent; } __attribute__((packed));
enum { create_ruleset = 444, add_rule = 445, restrict_self = 446 };

#define RIGHT_EXECUTE (1ULL << 0)
#define RIGHT_WRITE_FILE (1ULL << 1)
#define RIGHT_READ_FILE (1ULL << 2)
#define RIGHT_READ_FOLDER (1ULL << 3)
#define RIGHT_TRUNCATE (1ULL << 14)
#define RIGHT_DEVICE_CONTROL (1ULL << 15)
/* remove folder and file; make folder, file, socket, pipe, link; move to another folder. No device nodes. */
#define RIGHT_CHANGE_FOLDER (1ULL << 4 | 1ULL << 5 | 1ULL << 7 | 1ULL << 8 | 1ULL << 9 | 1ULL << 10 | 1ULL << 12 | 1ULL << 13)
#define RIGHTS_OF_FILES (RIGHT_EXECUTE | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_DEVICE_CONTROL)

int clinux_landlock_version(void) {
    long version = syscall(create_ruleset, NULL, 0, 1);
    return version < 0 ? 0 : (int)version;
}

static uint64_t handled_rights(int version) {
    int bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return (1ULL << bits) - 1;
}

/* As openat2(2): its headers may be older than it. */
struct open_how_ { uint64_t flags, mode, resolve; };

static int open_without_links(const char *path) {
    /* 437 is openat2, 4 RESOLVE_NO_SYMLINKS. Where a filter in front of the kernel knows no such call, the last name has to
       do: a link is then what is opened itself, and a rule for one allows nothing. */
    struct open_how_ how = {.flags = O_PATH | O_CLOEXEC, .resolve = 4};
    int fd = (int)syscall(437, AT_FDCWD, path, &how, sizeof how);
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC) : fd;
}

static int allow(int ruleset, uint64_t handled, const char *path, uint32_t access) {
    int fd = access & CLINUX_ACCESS_WITHOUT_LINKS ? open_without_links(path) : open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT || errno == EACCES || errno == ENOTDIR || errno == ELOOP ? 0 : errno;
    struct stat status;
    if (fstat(fd, &status)) {
        int error = errno;
        close(fd);
        return error;
    }
    uint64_t rights = 0;
    if (access & CLINUX_ACCESS_READ) rights |= RIGHT_READ_FILE | RIGHT_READ_FOLDER;
    if (access & CLINUX_ACCESS_EXECUTE) rights |= RIGHT_EXECUTE;
    if (access & CLINUX_ACCESS_WRITE) rights |= RIGHT_WRITE_FILE | RIGHT_TRUNCATE | RIGHT_CHANGE_FOLDER;
    if (access & CLINUX_ACCESS_CHANGE) rights |= RIGHT_WRITE_FILE | RIGHT_TRUNCATE;
    if (!S_ISDIR(status.st_mode)) rights &= RIGHTS_OF_FILES;
    struct path_rule rule = {.allowed = rights & handled, .parent = fd};
    int error = syscall(add_rule, ruleset, 1, &rule, 0) ? errno : 0;
    close(fd);
    return error;
}

/* Returns a ruleset, or -1 where the kernel has no Landlock; sets the error when making it failed. */
static int make_ruleset(const struct clinux_confinement *confinement, int *error) {
    *error = 0;
    int version = clinux_landlock_version();
    if (version == 0) return -1;
    uint64_t handled = handled_rights(version);
    struct ruleset_attributes attributes = {
        .files = handled,
        /* binding and connecting TCP */
        .network = version >= 4 && !confinement->network ? 3 : 0,
        /* abstract sockets and signals */
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

static int limit(int resource, uint64_t value) {
    struct rlimit now;
    if (getrlimit(resource, &now)) return errno;
    /* Never above what this process may have itself. */
    rlim_t wanted = now.rlim_max != RLIM_INFINITY && value > now.rlim_max ? now.rlim_max : (rlim_t)value;
    struct rlimit both = {.rlim_cur = wanted, .rlim_max = wanted};
    return setrlimit(resource, &both) ? errno : 0;
}

struct failure { int stage, error; };

/* A program that is to be started, and what came of it. */
struct start {
    const char *path;
    char *const *argv, *const *envp;
    const int *descriptors;
    int count;
    const struct clinux_confinement *confinement;
    int ruleset;
    pid_t parent, child;
    struct failure failure;
    int is_done;
    struct start *next;
};

/* Everything between clone and exec: calls that are safe in the child of a process with threads, and no others. It has its
   parent's memory until then, and the parent's thread waits. */
static struct failure become(const struct start *start) {
    const int *descriptors = start->descriptors;
    const struct clinux_confinement *confinement = start->confinement;
    int count = start->count, ruleset = start->ruleset;
    /* It ends with the one who watches it, however that ends; and at once if that has happened by now. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) return (struct failure){CLINUX_STAGE_LIMITS, errno};
    if (getppid() != start->parent) _exit(127);
    /* First above all of them, so that none is overwritten before it was copied to its place. */
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return (struct failure){CLINUX_STAGE_DESCRIPTORS, errno};
    int away = null >= count ? null + 1 : count;
    for (int i = 0; i < count; i++)
        if (descriptors[i] >= away) away = descriptors[i] + 1;
    if (ruleset >= away) away = ruleset + 1;
    for (int i = 0; i < count; i++) {
        if (dup3(descriptors[i] >= 0 ? descriptors[i] : null, away + i, O_CLOEXEC) < 0)
            return (struct failure){CLINUX_STAGE_DESCRIPTORS, errno};
    }
    int high_ruleset = ruleset < 0 ? -1 : fcntl(ruleset, F_DUPFD_CLOEXEC, away + count);
    if (ruleset >= 0 && high_ruleset < 0) return (struct failure){CLINUX_STAGE_DESCRIPTORS, errno};
    for (int i = 0; i < count; i++)
        if (dup2(away + i, i) < 0) return (struct failure){CLINUX_STAGE_DESCRIPTORS, errno};
    /* Everything else closes with exec, whatever flags it had; 4 is CLOSE_RANGE_CLOEXEC, 436 close_range. */
    if (syscall(436, count, ~0U, 4)) return (struct failure){CLINUX_STAGE_DESCRIPTORS, errno};

    setsid();
    if (chdir(confinement->working_folder)) return (struct failure){CLINUX_STAGE_FOLDER, errno};
    umask(077);
    int error = limit(RLIMIT_DATA, confinement->memory);
    if (!error) error = limit(RLIMIT_FSIZE, confinement->file_size);
    if (!error) error = limit(RLIMIT_CORE, 0);
    if (error) return (struct failure){CLINUX_STAGE_LIMITS, error};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return (struct failure){CLINUX_STAGE_LANDLOCK, errno};
    if (high_ruleset >= 0) {
        /* Its own entry in /proc exists only now. */
        error = allow(high_ruleset, handled_rights(1), "/proc/self", CLINUX_ACCESS_READ);
        if (!error && syscall(restrict_self, high_ruleset, 0)) error = errno;
        if (error) return (struct failure){CLINUX_STAGE_LANDLOCK, error};
    }
    /* After the last descriptor was opened: this process still has all of its parent's, and may be past the limit. */
    error = limit(RLIMIT_NOFILE, confinement->descriptors);
    if (error) return (struct failure){CLINUX_STAGE_LIMITS, error};
    error = confinement_filter_apply(getpid(), confinement->network, confinement->local_socket);
    if (error) return (struct failure){CLINUX_STAGE_FILTER, error};

    for (int signal = 1; signal < 65; signal++) {
        if (signal == SIGKILL || signal == SIGSTOP) continue;
        /* A file that has become too large is an error of the one that writes it. */
        struct sigaction standard = {.sa_handler = signal == SIGXFSZ ? SIG_IGN : SIG_DFL};
        sigaction(signal, &standard, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->path, start->argv, start->envp);
    return (struct failure){CLINUX_STAGE_EXECUTE, errno};
}

static int run_child(void *argument) {
    struct start *start = argument;
    start->failure = become(start);
    _exit(127);
}

/* On the thread that starts all of them. It takes no signals, so no handler of ours runs in the child. */
static void spawn(struct start *start) {
    int error;
    start->ruleset = make_ruleset(start->confinement, &error);
    if (error) {
        start->failure = (struct failure){CLINUX_STAGE_RULES, error};
        return;
    }
    start->parent = getpid();
    /* A child with a copy of a large process's memory takes longer to make than to become the program. With the same memory
       this thread waits until it has, so there is one such child at a time, and one stack is enough. */
    static _Alignas(16) char stack[64 << 10];
    start->child = clone(run_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
    if (start->child < 0) {
        start->failure = (struct failure){CLINUX_STAGE_FORK, errno};
    } else if (start->failure.stage) {
        while (waitpid(start->child, NULL, 0) < 0 && errno == EINTR) {}
    }
    if (start->ruleset >= 0) close(start->ruleset);
}

/* What the kernel calls a parent's death is the end of the thread that made the child: they are all made by one that stays. */
static pthread_mutex_t starts_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t start_was_added = PTHREAD_COND_INITIALIZER, start_was_done = PTHREAD_COND_INITIALIZER;
static struct start *first_start, **last_start = &first_start;
static int has_spawner;

static void *spawn_all(void *unused) {
    (void)unused;
    prctl(PR_SET_NAME, "purvey-spawner", 0, 0, 0);
    pthread_mutex_lock(&starts_lock);
    while (1) {
        while (!first_start) pthread_cond_wait(&start_was_added, &starts_lock);
        struct start *start = first_start;
        first_start = start->next;
        if (!first_start) last_start = &first_start;
        pthread_mutex_unlock(&starts_lock);
        spawn(start);
        pthread_mutex_lock(&starts_lock);
        start->is_done = 1;
        pthread_cond_broadcast(&start_was_done);
    }
    return NULL;
}

/* With the lock held. The thread takes no signals: those are for the program's own. */
static int start_spawner(void) {
    if (has_spawner) return 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, spawn_all, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) return error;
    pthread_detach(thread);
    has_spawner = 1;
    return 0;
}

int clinux_spawn_confined(pid_t *pid, const char *path, char *const argv[], char *const envp[], const int *descriptors,
                          int count, const struct clinux_confinement *confinement, int *stage) {
    struct start start = {.path = path,
                          .argv = argv,
                          .envp = envp,
                          .descriptors = descriptors,
                          .count = count,
                          .confinement = confinement};
    pthread_mutex_lock(&starts_lock);
    int error = start_spawner();
    if (error) {
        start.failure = (struct failure){CLINUX_STAGE_FORK, error};
    } else {
        *last_start = &start;
        last_start = &start.next;
        pthread_cond_signal(&start_was_added);
        while (!start.is_done) pthread_cond_wait(&start_was_done, &starts_lock);
    }
    pthread_mutex_unlock(&starts_lock);
    *stage = start.failure.stage;
    if (start.failure.stage) return start.failure.error ? start.failure.error : EIO;
    *pid = start.child;
    return 0;
}
