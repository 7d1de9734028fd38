#ifndef CLATEBINDING_H
#define CLATEBINDING_H

/// What a program has when it links the module that defines it, and lower modules use where it is there: a retained object
/// that keeps the boards of pasteboards and drags for all processes. NULL in a program without the exchange.
void *clate_shared_boards(void);

#endif
