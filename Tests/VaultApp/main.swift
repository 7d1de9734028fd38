// The vault's own program, which tests control: it executes commands from standard input, one per line, and reports
// on standard output. See `Script` for the commands.
import Dispatch
import Foundation
import Glibc

signal(SIGPIPE, SIG_IGN)
// The main queue is served, as in programs with windows.
Thread.detachNewThread {
    Script().run()
    exit(0)
}
dispatchMain()
