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

/* What a child needs to know, and why it could not become the program. */
struct child {
    const char *path;
    char *const *argv, *const *envp;
    const int *descriptors;
    int count;
    const struct clinux_confinement *confinement;
    int ruleset;
    pid_t parent;
    struct failure failure;
};

/* Everything between clone and exec: calls that are safe in the child of a process with threads, and no others. It has its
   parent's memory until then, and the parent's thread waits. */
static struct failure become(const struct child *child) {
    const int *descriptors = child->descriptors;
    const struct clinux_confinement *confinement = child->confinement;
    int count = child->count, ruleset = child->ruleset;
    /* It ends with the one who watches it, however that ends; and at once if that has happened by now. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) return (struct failure){CLINUX_STAGE_LIMITS, errno};
    if (getppid() != child->parent) _exit(127);
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
    execve(child->path, child->argv, child->envp);
    return (struct failure){CLINUX_STAGE_EXECUTE, errno};
}

static int run_child(void *argument) {
    struct child *child = argument;
    child->failure = become(child);
    _exit(127);
}

static int spawn(pid_t *pid, const char *path, char *const argv[], char *const envp[], const int *descriptors, int count,
                 const struct clinux_confinement *confinement, int *stage) {
    int error;
    *stage = CLINUX_STAGE_RULES;
    int ruleset = make_ruleset(confinement, &error);
    if (error) return error;
    *stage = CLINUX_STAGE_FORK;
    struct child child = {.path = path,
                          .argv = argv,
                          .envp = envp,
                          .descriptors = descriptors,
                          .count = count,
                          .confinement = confinement,
                          .ruleset = ruleset,
                          .parent = getpid()};
    /* No signal handler of ours may run in the child. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* A child with a copy of a large process's memory takes longer to make than to become the program. With the same memory
       this thread waits until it has, so there is one such child at a time, and one stack is enough. */
    static _Alignas(16) char stack[64 << 10];
    pid_t made = clone(run_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    error = made < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (ruleset >= 0) close(ruleset);
    if (error) return error;
    if (child.failure.stage) {
        *stage = child.failure.stage;
        while (waitpid(made, NULL, 0) < 0 && errno == EINTR) {}
        return child.failure.error ? child.failure.error : EIO;
    }
    *pid = made;
    return 0;
}

/* What the kernel calls a parent's death is the end of the thread that made the child: they are all made by one that stays. */
struct spawn_job {
    pid_t *pid;
    const char *path;
    char *const *argv, *const *envp;
    const int *descriptors;
    int count;
    const struct clinux_confinement *confinement;
    int *stage;
    int error, is_done;
    struct spawn_job *next;
};

static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_was_added = PTHREAD_COND_INITIALIZER, job_was_done = PTHREAD_COND_INITIALIZER;
static struct spawn_job *first_job, **last_job = &first_job;
static int has_spawner;

static void *spawn_jobs(void *unused) {
    (void)unused;
    prctl(PR_SET_NAME, "purvey-spawner", 0, 0, 0);
    pthread_mutex_lock(&jobs_lock);
    while (1) {
        while (!first_job) pthread_cond_wait(&job_was_added, &jobs_lock);
        struct spawn_job *job = first_job;
        first_job = job->next;
        if (!first_job) last_job = &first_job;
        pthread_mutex_unlock(&jobs_lock);
        int error = spawn(job->pid, job->path, job->argv, job->envp, job->descriptors, job->count, job->confinement,
                          job->stage);
        pthread_mutex_lock(&jobs_lock);
        job->error = error;
        job->is_done = 1;
        pthread_cond_broadcast(&job_was_done);
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
    int error = pthread_create(&thread, NULL, spawn_jobs, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) return error;
    pthread_detach(thread);
    has_spawner = 1;
    return 0;
}

int clinux_spawn_confined(pid_t *pid, const char *path, char *const argv[], char *const envp[], const int *descriptors,
                          int count, const struct clinux_confinement *confinement, int *stage) {
    struct spawn_job job = {.pid = pid,
                            .path = path,
                            .argv = argv,
                            .envp = envp,
                            .descriptors = descriptors,
                            .count = count,
                            .confinement = confinement,
                            .stage = stage};
    *stage = CLINUX_STAGE_FORK;
    pthread_mutex_lock(&jobs_lock);
    job.error = start_spawner();
    if (!job.error) {
        *last_job = &job;
        last_job = &job.next;
        pthread_cond_signal(&job_was_added);
        while (!job.is_done) pthread_cond_wait(&job_was_done, &jobs_lock);
    }
    pthread_mutex_unlock(&jobs_lock);
    return job.error;
}
