import Glibc

/// Standard input, output and error.
package enum StandardDescriptors {
    /// Takes the places of those that the program was started without, so that no file it opens later gets one of
    /// their numbers and what is meant for a person goes into it.
    ///
    /// Each place is taken the wrong way round: reading from such an input and writing to such an output fail with
    /// EBADF, as they would without this. Called before anything else is opened.
    package static func fillMissing() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is given, which is this one. Without /dev/null there is nothing to be done.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
