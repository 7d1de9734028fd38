#if !__has_include(<gtk/gtk.h>)
#error "the headers of GTK 4 are missing: apt-get install libgtk-4-dev"
#endif
#include <glib-unix.h>
#include <gtk/gtk.h>

/* The descriptor that can be read when the first thread's queue has something to do. Dispatch has it for programs that run a
   loop of their own on that thread, as Foundation's RunLoop does. */
int _dispatch_get_main_queue_handle_4CF(void);
