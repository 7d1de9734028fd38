// A process that tests control: it executes commands from standard input, one per line, and reports on standard
// output. See `Script` for the commands.
import Glibc

signal(SIGPIPE, SIG_IGN)
Script().run()
