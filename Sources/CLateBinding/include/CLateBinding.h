#ifndef CLATEBINDING_H
#define CLATEBINDING_H

/// What a program has when it links the module that defines it, and lower modules use where it is there: a retained object
/// that keeps the boards of pasteboards and drags for all processes. NULL in a program without the exchange.
void *clate_shared_boards(void);

/// A retained object that leads to the arbiter of file coordination for all processes. NULL in a program without it.
void *clate_shared_coordination(void);

/// A retained object that starts the daemon and knows its socket. NULL in a program without the exchange.
void *clate_daemon_entrance(void);

#endif
