/// A display of X11's in a process that makes no local sockets: it was handed a connection to one.
#pragma once

/// Has the connection answer for the one that a library makes to the display: where a confined process (see
/// csandbox_confinement.local_socket) makes a local socket, it gets one that leads nowhere, and where it connects that to one of the
/// display's addresses, the connection takes its place. That happens once; another address refuses.
///
/// `display` is the connection's descriptor, `local_socket` the number that sockets get, `path` the display's address: the path of
/// its socket. Call it once, before anything connects. Returns 0 or an error number.
int clinux_serve_display(int display, int local_socket, const char *path);
