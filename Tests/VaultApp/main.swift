// The vault's own program, for tests to talk to: it does what its standard input says, a line at a time, and tells on standard
// output what came of it. See `Script` for the commands.
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
