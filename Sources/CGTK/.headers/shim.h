#if !__has_include(<gtk/gtk.h>)
#error "the headers of GTK 4 are missing: apt-get install libgtk-4-dev"
#endif
#include <glib-unix.h>
#include <gtk/gtk.h>

/* Returns the descriptor that is readable while the main queue has work. Dispatch provides this function for programs
   that run an event loop on the main thread, as Foundation's RunLoop does. */
int _dispatch_get_main_queue_handle_4CF(void);
