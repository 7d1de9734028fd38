/* Each architecture has this header in a directory of its own. */
#if __has_include("/usr/lib/x86_64-linux-gnu/graphene-1.0/include/graphene-config.h")
#include "/usr/lib/x86_64-linux-gnu/graphene-1.0/include/graphene-config.h"
#elif __has_include("/usr/lib/aarch64-linux-gnu/graphene-1.0/include/graphene-config.h")
#include "/usr/lib/aarch64-linux-gnu/graphene-1.0/include/graphene-config.h"
#else
#include "/usr/lib/graphene-1.0/include/graphene-config.h"
#endif
