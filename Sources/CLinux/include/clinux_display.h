/// Access to an X11 display in a process that cannot create local sockets, through a connection that it was given.
#pragma once

/// Substitutes the connection for the one that a library makes to the display. When a confined process (see
/// csandbox_confinement.local_socket) creates a local socket, it gets an unconnected one. When it connects that socket
/// to one of the display's addresses, the connection replaces the socket. That happens once. Connections to other
/// addresses are refused.
///
/// `display` is the connection's descriptor, `local_socket` the descriptor number that created sockets get, and `path`
/// the path of the display's socket. Must be called once, before anything connects. Returns 0 or an error number.
int clinux_serve_display(int display, int local_socket, const char *path);
