#ifndef CLATEBINDING_H
#define CLATEBINDING_H

/// Functions of modules that a program may not link, for lower modules that use them if they are linked.

/// Returns a retained object that stores the boards of pasteboards and drags for all processes. NULL in a program
/// without the module Exchange.
void *clate_shared_boards(void);

/// Returns a retained object that connects to the arbiter of file coordination for all processes. NULL in a program
/// without the coordination service's client.
void *clate_shared_coordination(void);

/// Returns a retained object that starts the daemon and knows its socket. NULL in a program without the module
/// Exchange.
void *clate_daemon_entrance(void);

#endif
