import Glibc

/// A program's output for `--help`, `-h` and `--version`, and for unknown arguments.
package struct ProgramManual: Sendable {
    /// The program's name, as typed on a command line.
    package let name: String
    /// The output of `--help`, with a line end.
    package let help: String
    /// The program's other options, for suggestions.
    package let options: [String]

    /// The options of every program.
    package static let commonOptions = ["--help", "--version"]

    package init(name: String, help: String, options: [String] = []) {
        self.name = name
        self.help = help
        self.options = options
    }

    /// Prints the help or the version if an argument requests it.
    ///
    /// - Returns: the program's exit status then; `nil` if no argument requests either.
    package func answer(_ arguments: some Sequence<String>) -> CInt? {
        for word in arguments {
            switch word {
            case "--help", "-h": return print(help)
            case "--version": return print("\(name) \(PurveyVersion.text)\n")
            default: continue
            }
        }
        return nil
    }

    /// Prints a complaint about an unknown word.
    ///
    /// - Returns: the exit status of wrong usage.
    package func refuse(_ word: String) -> CInt { misuse(complaint(about: word)) }

    /// Prints a complaint about a command line.
    ///
    /// - Returns: the exit status of wrong usage.
    package func misuse(_ message: String) -> CInt { complain("\(message); see '\(name) --help'", status: 2) }

    /// Returns a complaint about an unknown word.
    package func complaint(about word: String) -> String {
        guard word.hasPrefix("-"), word.count > 1 else { return "unexpected argument '\(word)'" }
        let spelling = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
        return SpellingSuggestion.sentence(
            "unknown option '\(spelling)'", about: spelling, known: options + Self.commonOptions)
    }

    /// Writes one line on standard error: the program's name and a message.
    ///
    /// - Returns: `status`.
    @discardableResult
    package func complain(_ message: String, status: CInt = 1) -> CInt {
        // The message may contain text from the command line. Control characters are replaced, so that it starts no
        // new line and moves no cursor.
        let scalars = message.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        // A single write keeps the line whole. If it fails, there is no reader.
        _ = Self.write("\(name): \(String(String.UnicodeScalarView(scalars)))\n", to: STDERR_FILENO)
        return status
    }

    /// Prints a text on standard output. Returns the exit status.
    private func print(_ text: String) -> CInt {
        guard let error = Self.write(text, to: STDOUT_FILENO) else { return 0 }
        return complain("standard output: \(error)")
    }

    private static func write(_ text: String, to descriptor: CInt) -> Errno? {
        Array(text.utf8).withUnsafeBytes { bytes -> Errno? in
            var rest = bytes[...]
            while !rest.isEmpty {
                do throws(Errno) {
                    let piece = UnsafeRawBufferPointer(rebasing: rest)
                    rest = rest.dropFirst(try retrying { Glibc.write(descriptor, piece.baseAddress, piece.count) })
                } catch {
                    return error
                }
            }
            return nil
        }
    }
}

/// The version of Purvey: of its programs, and of the libraries built with them.
public enum PurveyVersion {
    /// The version number, as printed by every program's `--version`.
    public static let text = "0.1.0"
}

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
