#include "CLateBinding.h"

#include <stddef.h>

// Defined by the exchange.
extern void *purvey_shared_boards(void) __attribute__((weak));

void *clate_shared_boards(void) {
    return purvey_shared_boards ? purvey_shared_boards() : NULL;
}
