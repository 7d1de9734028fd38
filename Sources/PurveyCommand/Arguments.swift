/// The arguments of a command, parsed according to the options that the command accepts.
struct Arguments: Sendable {
    /// The options on the command line, in order, each with its value if the option takes one.
    private(set) var options: [(name: String, value: String?)] = []
    /// The other arguments, such as file names, in order.
    private(set) var operands: [String] = []
    /// Whether `--help` or `-h` is among the arguments.
    private(set) var wantsHelp = false

    /// Parses options and operands: `--name value`, `--name=value`, `-o value`. After `--`, all words are operands.
    ///
    /// - Throws: ``UsageError`` for an option that is unknown, lacks its value or takes none.
    init(_ words: some Collection<String>, for known: [Option]) throws {
        var rest = words.makeIterator()
        while let word = rest.next() {
            if word == "--" {
                while let operand = rest.next() { operands.append(operand) }
            } else if word == "--help" || word == "-h" {
                wantsHelp = true
            } else if word.hasPrefix("-"), word != "-" {
                let (spelling, attached) = Self.split(word)
                if spelling == "--help" { throw UsageError("option '--help' takes no value") }
                guard let option = known.first(where: { $0.spelling == spelling }) else {
                    let named = String(spelling.prefix { $0 != "=" })
                    throw UsageError(
                        about: named, "unknown option '\(named)'", known: known.map(\.spelling) + ["--help"])
                }
                guard let placeholder = option.value else {
                    guard attached == nil else { throw UsageError("option '\(spelling)' takes no value") }
                    options.append((option.name, nil))
                    continue
                }
                guard let value = attached ?? rest.next() else {
                    throw UsageError("option '\(spelling)' needs a value: \(spelling) \(placeholder)")
                }
                options.append((option.name, value))
            } else {
                operands.append(word)
            }
        }
    }

    /// Whether the given option was used.
    func has(_ name: String) -> Bool {
        options.contains { $0.name == name }
    }

    /// Returns the value of the given option, or the last value if the option was used several times.
    func value(_ name: String) -> String? {
        options.last { $0.name == name }?.value
    }

    /// Returns the values of the given option, which may be used several times, in order.
    func values(_ name: String) -> [String] {
        options.compactMap { $0.name == name ? $0.value : nil }
    }

    /// The first word of the command line that is not UTF-8, with its invalid bytes replaced; `nil` if all words are
    /// UTF-8. As a path, the changed word would denote another file.
    static var firstUnreadable: String? {
        CommandLine.arguments.indices.lazy.compactMap { index -> String? in
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { return nil }
            return CommandLine.arguments[index]
        }.first
    }

    /// Returns the two parts of `--name=value`.
    private static func split(_ word: String) -> (spelling: String, value: String?) {
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
