import Glibc

/// Standard input, output and error.
package enum StandardDescriptors {
    /// Opens the standard descriptors that are missing at the start of the program. Otherwise, a file that is opened
    /// later would get one of their numbers, and receive output that is meant for the user.
    ///
    /// Each is opened for the wrong direction. Therefore reading from the input and writing to the outputs still fails
    /// with EBADF. Must be called before any other file is opened.
    package static func fillMissing() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            // open(2) returns the lowest free number, which is this one. Without /dev/null, nothing can be done.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
