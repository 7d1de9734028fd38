#include "CRuntimeSupport.h"

#include <stddef.h>

// Defined by the module Exchange.
extern void *purvey_shared_boards(void) __attribute__((weak));
extern void *purvey_daemon_entrance(void) __attribute__((weak));
// Defined by the coordination service's client.
extern void *purvey_shared_coordination(void) __attribute__((weak));

void *clate_shared_boards(void) {
    return purvey_shared_boards ? purvey_shared_boards() : NULL;
}

void *clate_daemon_entrance(void) {
    return purvey_daemon_entrance ? purvey_daemon_entrance() : NULL;
}

void *clate_shared_coordination(void) {
    return purvey_shared_coordination ? purvey_shared_coordination() : NULL;
}
