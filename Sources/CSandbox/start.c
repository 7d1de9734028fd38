#define _GNU_SOURCE 1
#include "csandbox.h"
#include "filter.h"
#include "root.h"
#include "rules.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int limit(int resource, uint64_t value) {
    struct rlimit now;
    if (getrlimit(resource, &now)) return errno;
    /* The limit is never above this process's own hard limit. */
    rlim_t wanted = now.rlim_max != RLIM_INFINITY && value > now.rlim_max ? now.rlim_max : (rlim_t)value;
    struct rlimit both = {.rlim_cur = wanted, .rlim_max = wanted};
    return setrlimit(resource, &both) ? errno : 0;
}

/* The C library makes the stacks of threads as large as the soft limit, and the kernel counts them as private memory:
   with the usual 8 MiB, a pool of 64 threads would use up an extension's memory. The hard limit bounds the first
   thread's stack, which is counted separately. */
static int limit_stacks(void) {
    struct rlimit now;
    if (getrlimit(RLIMIT_STACK, &now)) return errno;
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > 64 << 20) now.rlim_max = 64 << 20;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > 2 << 20) now.rlim_cur = 2 << 20;
    return setrlimit(RLIMIT_STACK, &now) ? errno : 0;
}

struct failure { int stage, error; };

/* The memory that a child uses until it executes its program. Each thread that starts programs has its own
   workspace. */
struct workspace {
    _Alignas(16) char stack[64 << 10];
    struct sock_filter filter[CSANDBOX_MOST_INSTRUCTIONS];
    struct sandbox_room room;
};

/* A program to start, and the outcome. */
struct start {
    const char *path;
    char *const *argv, *const *envp;
    const int *descriptors;
    int count;
    const struct csandbox_confinement *confinement;
    const struct sandbox_filter *filter;
    /* The Landlock ruleset, or -1; and a descriptor of this process that is readable when the process has ended, or
       -1. */
    int ruleset, parent;
    struct workspace *workspace;
    uint32_t namespaces;
    uid_t user;
    gid_t group;
    pid_t child;
    struct failure failure;
    int refusal, is_done;
    struct start *next;
};

/* Whether an error means that the system does not permit namespaces, or some operation in them. */
static int is_refusal(int error) { return error == EPERM || error == EACCES || error == ENOSYS || error == EINVAL; }

/* Does everything between clone and exec. Makes only calls that are safe in the child of a process with threads,
   because the child uses its parent's memory until exec, while the parent's thread waits. */
static struct failure become(const struct start *start) {
    const int *descriptors = start->descriptors;
    const struct csandbox_confinement *confinement = start->confinement;
    int count = start->count, ruleset = start->ruleset;
    /* The child is killed when the thread that created it ends. It exits at once if the parent has ended already. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) return (struct failure){CSANDBOX_STAGE_LIMITS, errno};
    struct pollfd parent = {.fd = start->parent, .events = POLLIN};
    if (start->parent >= 0 && poll(&parent, 1, 0) > 0) _exit(127);
    if (start->namespaces) {
        int error = sandbox_map_user(start->user, start->group);
        if (error) return (struct failure){CSANDBOX_STAGE_NAMESPACES, error};
    }
    if (confinement->control_group >= 0 && write(confinement->control_group, "0", 1) < 0)
        return (struct failure){CSANDBOX_STAGE_CONTROL_GROUP, errno};
    /* The descriptors are first duplicated to numbers above all of them, so that none is overwritten before it was
       copied to its place. */
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return (struct failure){CSANDBOX_STAGE_DESCRIPTORS, errno};
    int away = null >= count ? null + 1 : count;
    for (int i = 0; i < count; i++)
        if (descriptors[i] >= away) away = descriptors[i] + 1;
    if (ruleset >= away) away = ruleset + 1;
    for (int i = 0; i < count; i++) {
        if (dup3(descriptors[i] >= 0 ? descriptors[i] : null, away + i, O_CLOEXEC) < 0)
            return (struct failure){CSANDBOX_STAGE_DESCRIPTORS, errno};
    }
    int high_ruleset = ruleset < 0 ? -1 : fcntl(ruleset, F_DUPFD_CLOEXEC, away + count);
    if (ruleset >= 0 && high_ruleset < 0) return (struct failure){CSANDBOX_STAGE_DESCRIPTORS, errno};
    for (int i = 0; i < count; i++)
        if (dup2(away + i, i) < 0) return (struct failure){CSANDBOX_STAGE_DESCRIPTORS, errno};
    /* All other descriptors are closed by exec, regardless of their flags. 436 is close_range, and 4 is
       CLOSE_RANGE_CLOEXEC. */
    if (syscall(436, count, ~0U, 4)) return (struct failure){CSANDBOX_STAGE_DESCRIPTORS, errno};

    setsid();
    int error = 0;
    if (start->namespaces & CSANDBOX_NAMESPACE_FILES)
        error = sandbox_enter_root(confinement, &start->workspace->room);
    if (!error && start->namespaces & CSANDBOX_NAMESPACE_HOST_NAME && sethostname("localhost", 9)) error = errno;
    /* If the error is not a refusal, the start fails, and is not tried again with fewer namespaces. */
    if (error) return (struct failure){is_refusal(error) ? CSANDBOX_STAGE_NAMESPACES : CSANDBOX_STAGE_ROOT, error};
    if (chdir(confinement->working_directory)) return (struct failure){CSANDBOX_STAGE_DIRECTORY, errno};
    umask(077);
    error = limit(RLIMIT_DATA, confinement->memory);
    if (!error) error = limit(RLIMIT_FSIZE, confinement->file_size);
    /* The limit is 1 and not 0, because with 0, a core dump is still passed to a program (core(5)). */
    if (!error) error = limit(RLIMIT_CORE, 1);
    if (!error) error = limit_stacks();
    /* The kernel counts pending signals and timers of all processes of the user together. */
    if (!error) error = limit(RLIMIT_SIGPENDING, 1024);
    /* Without a user namespace, the kernel would count all processes of the user. */
    if (!error && start->namespaces) error = limit(RLIMIT_NPROC, confinement->threads);
    if (error) return (struct failure){CSANDBOX_STAGE_LIMITS, error};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return (struct failure){CSANDBOX_STAGE_LANDLOCK, errno};
    if (high_ruleset >= 0) {
        error = sandbox_rules_add_own(high_ruleset);
        if (!error) error = sandbox_rules_apply(high_ruleset);
        if (error) return (struct failure){CSANDBOX_STAGE_LANDLOCK, error};
    }
    error = sandbox_drop_capabilities();
    if (error) return (struct failure){CSANDBOX_STAGE_CAPABILITIES, error};
    /* This limit is set after the last descriptor was opened, because this process still has all descriptors of its
       parent, and may be above the limit. */
    error = limit(RLIMIT_NOFILE, confinement->descriptors);
    if (error) return (struct failure){CSANDBOX_STAGE_LIMITS, error};

    for (int signal = 1; signal < 65; signal++) {
        if (signal == SIGKILL || signal == SIGSTOP) continue;
        /* With SIGXFSZ ignored, a write that makes a file too large fails with an error. */
        struct sigaction standard = {.sa_handler = signal == SIGXFSZ ? SIG_IGN : SIG_DFL};
        sigaction(signal, &standard, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    error = sandbox_filter_apply(start->filter, getpid(), start->workspace->filter);
    if (error) return (struct failure){CSANDBOX_STAGE_FILTER, error};
    execve(start->path, start->argv, start->envp);
    return (struct failure){CSANDBOX_STAGE_EXECUTE, errno};
}

static int run_child(void *argument) {
    struct start *start = argument;
    start->failure = become(start);
    _exit(127);
}

static int clone_flags(uint32_t namespaces) {
    static const struct { uint32_t namespace; int flag; } flags[] = {
        {CSANDBOX_NAMESPACE_IPC, CLONE_NEWIPC}, {CSANDBOX_NAMESPACE_HOST_NAME, CLONE_NEWUTS},
        {CSANDBOX_NAMESPACE_NETWORK, CLONE_NEWNET}, {CSANDBOX_NAMESPACE_FILES, CLONE_NEWNS},
    };
    int result = namespaces ? CLONE_NEWUSER : 0;
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
        if (namespaces & flags[i].namespace) result |= flags[i].flag;
    return result;
}

static void try(struct start *start, uint32_t namespaces) {
    struct workspace *workspace = start->workspace;
    start->failure = (struct failure){0, 0};
    start->namespaces = namespaces;
    /* The child shares this process's memory, because copying the memory of a large process would take longer than
       everything else. Therefore this thread waits until the child has executed its program or has ended. */
    int flags = CLONE_VM | CLONE_VFORK | SIGCHLD | clone_flags(namespaces);
    start->child = clone(run_child, workspace->stack + sizeof workspace->stack, flags, start);
    if (start->child < 0) {
        start->failure = (struct failure){namespaces ? CSANDBOX_STAGE_NAMESPACES : CSANDBOX_STAGE_FORK, errno};
    } else if (start->failure.stage) {
        while (waitpid(start->child, NULL, 0) < 0 && errno == EINTR) {}
    }
}

/* The namespaces that the system has refused. They are not tried again. */
static _Atomic uint32_t refused_namespaces;
static _Atomic int last_refusal;

/* Runs on a thread that starts programs. The thread blocks all signals, so that no handler of this process runs in the
   child. */
static void spawn(struct start *start) {
    const uint32_t wanted = start->confinement->namespaces, refused = refused_namespaces & wanted;
    if (refused) start->refusal = last_refusal;
    /* The namespaces that are left out, one set after the other. The system may have a separate limit for network
       namespaces. It may also permit a user namespace, but no operations in it. */
    const uint32_t without[] = {0, CSANDBOX_NAMESPACE_NETWORK, ~0U};
    uint32_t tried = ~0U;
    for (unsigned i = 0; i < sizeof without / sizeof *without; i++) {
        const uint32_t namespaces = wanted & ~refused & ~without[i];
        if (namespaces == tried) continue;
        try(start, tried = namespaces);
        if (start->failure.stage != CSANDBOX_STAGE_NAMESPACES) break;
        start->refusal = start->failure.error;
    }
    if (!start->failure.stage && start->namespaces != wanted && is_refusal(start->refusal)) {
        refused_namespaces |= wanted & ~start->namespaces;
        last_refusal = start->refusal;
    }
}

/* The kernel takes the end of the thread that created a child for the death of the child's parent. Therefore all
   children are created by threads that never end. There are several threads, because a path may be on a file system
   that does not respond. */
enum { most_spawners = 16 };
static pthread_mutex_t starts_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t start_was_added = PTHREAD_COND_INITIALIZER, start_was_done = PTHREAD_COND_INITIALIZER;
static struct start *first_start, **last_start = &first_start;
static int spawners, idle_spawners, waiting_starts;

static void *spawn_all(void *workspace) {
    prctl(PR_SET_NAME, "purvey-spawner", 0, 0, 0);
    pthread_mutex_lock(&starts_lock);
    while (1) {
        idle_spawners++;
        while (!first_start) pthread_cond_wait(&start_was_added, &starts_lock);
        idle_spawners--;
        struct start *start = first_start;
        first_start = start->next;
        if (!first_start) last_start = &first_start;
        waiting_starts--;
        pthread_mutex_unlock(&starts_lock);
        start->workspace = workspace;
        spawn(start);
        pthread_mutex_lock(&starts_lock);
        start->is_done = 1;
        pthread_cond_broadcast(&start_was_done);
    }
    return NULL;
}

/* Adds a thread that starts programs. The caller holds the lock. The thread blocks all signals, so that the program's
   other threads get them. Returns 0 or an error number. */
static int add_spawner(void) {
    struct workspace *workspace = aligned_alloc(_Alignof(struct workspace), sizeof *workspace);
    if (!workspace) return ENOMEM;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, spawn_all, workspace);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        free(workspace);
        return error;
    }
    pthread_detach(thread);
    spawners++;
    return 0;
}

int csandbox_start(const char *path, char *const argv[], char *const envp[], const int *descriptors, int count,
                   const struct csandbox_confinement *confinement, struct csandbox_result *result) {
    struct start start = {.path = path,
                          .argv = argv,
                          .envp = envp,
                          .descriptors = descriptors,
                          .count = count,
                          .confinement = confinement};
    int error, stage = 0;
    start.ruleset = -1;
    /* The rules are made on the caller's thread, because their paths may be on file systems that do not respond. */
    start.filter = sandbox_filter_get(confinement->network, confinement->local_socket, &error);
    if (error) {
        stage = CSANDBOX_STAGE_FILTER;
    } else {
        start.ruleset = sandbox_rules_make(confinement, &error);
        if (error) stage = CSANDBOX_STAGE_RULES;
    }
    if (stage) {
        *result = (struct csandbox_result){.stage = stage};
        return error;
    }
    /* 434 is pidfd_open. */
    start.parent = (int)syscall(434, getpid(), 0);
    start.user = geteuid();
    start.group = getegid();
    pthread_mutex_lock(&starts_lock);
    waiting_starts++;
    /* If no thread can be added, an existing one carries out this start later. */
    error = waiting_starts > idle_spawners && spawners < most_spawners ? add_spawner() : 0;
    if (error && !spawners) {
        waiting_starts--;
        start.failure = (struct failure){CSANDBOX_STAGE_FORK, error};
    } else {
        *last_start = &start;
        last_start = &start.next;
        pthread_cond_signal(&start_was_added);
        while (!start.is_done) pthread_cond_wait(&start_was_done, &starts_lock);
    }
    pthread_mutex_unlock(&starts_lock);
    if (start.parent >= 0) close(start.parent);
    if (start.ruleset >= 0) close(start.ruleset);
    *result = (struct csandbox_result){
        .process = start.child, .stage = start.failure.stage, .namespaces = start.namespaces, .refusal = start.refusal};
    if (start.failure.stage) return start.failure.error ? start.failure.error : EIO;
    return 0;
}
