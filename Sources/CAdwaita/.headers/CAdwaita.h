#if !__has_include("libadwaita/adwaita.h")
#error "the headers of libadwaita are missing: apt-get install libadwaita-1-dev"
#endif
#include "libadwaita/adwaita.h"

/* Runs the blocks of the main queue that are ready. Dispatch provides this function for programs that run an event loop
   on the main thread, with the descriptor of _dispatch_get_main_queue_handle_4CF. */
void _dispatch_main_queue_callback_4CF(void *message);
