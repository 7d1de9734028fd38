/// The completions of the last word of a command line.
package struct Completion: Sendable {
    /// A possible completion of the last word.
    package struct Candidate: Sendable, Equatable {
        package let word: String
        package let summary: String

        package init(_ word: String, _ summary: String = "") {
            self.word = word
            self.summary = summary
        }
    }

    /// A kind of value, such as files, for which the description of the command line lists no words.
    package enum Value: String, Sendable {
        case file, directory
        /// An item of a domain, as a path or as `DOMAIN:PATH`.
        case item
        case domain, board, `extension`
    }

    /// The possible completions: those in the description of the command line, and those that the program adds.
    package private(set) var candidates: [Candidate] = []
    /// The kinds of values that are possible besides the candidates, without duplicates.
    package private(set) var values: [Value] = []
    /// The part of the last word that is completed: all of it, or the part after `--option=`.
    package private(set) var prefix: String
    /// The part of the last word before ``prefix``.
    private var start = ""

    /// Completes a command line.
    ///
    /// - Parameter words: The words after the program's name. The last one, which may be empty, is to be completed.
    package init(of words: [String], for manual: ProgramManual) {
        prefix = words.last ?? ""
        let names = manual.commands.map { Candidate($0.name ?? "", $0.summary) }
        if names.isEmpty {
            complete(words, for: manual.command)
        } else if words.count <= 1 {
            add(prefix.hasPrefix("-") ? Self.options(of: manual.command) : names)
        } else if let command = manual.commands.first(where: { $0.name == words[0] }) {
            // The argument of `help` is the name of a command.
            if command.usage == ["[COMMAND]"], words.count == 2 { add(names) }
            complete(Array(words.dropFirst()), for: command)
        }
    }

    private mutating func complete(_ words: [String], for command: CommandManual) {
        var operands: [String] = []
        var wantsValue: CommandManual.Option?
        var hasOptions = true
        for word in words.dropLast() {
            if wantsValue != nil {
                wantsValue = nil
            } else if hasOptions, word == "--" {
                hasOptions = false
            } else if hasOptions, word.hasPrefix("-"), word != "-" {
                wantsValue = command.options.first { $0.spelling == word && $0.value != nil }
            } else {
                operands.append(word)
            }
        }
        if let option = wantsValue { return addValues(of: option.value ?? "", isOperand: false) }
        guard hasOptions, prefix.hasPrefix("-") else {
            for form in command.usage {
                switch UsageForm(form, options: command.options).next(after: operands) {
                case .literal(let word)?: add([Candidate(word)])
                case .value(let placeholder)?: addValues(of: placeholder, isOperand: true)
                case nil: continue
                }
            }
            return
        }
        guard let equals = prefix.firstIndex(of: "="), prefix.hasPrefix("--") else {
            return add(Self.options(of: command))
        }
        guard let option = command.options.first(where: { $0.spelling == prefix[..<equals] }), let value = option.value
        else { return }
        start = String(prefix[...equals])
        prefix = String(prefix[prefix.index(after: equals)...])
        addValues(of: value, isOperand: false)
    }

    private static func options(of command: CommandManual) -> [Candidate] {
        command.options.map { Candidate($0.spelling, $0.summary) }
    }

    private mutating func addValues(of placeholder: String, isOperand: Bool) {
        let value: Value
        switch placeholder {
        case "FILE", "SOCKET": value = .file
        case "DIR": value = .directory
        case "PATH": value = isOperand ? .item : .file
        case "DOMAIN", "DOMAIN:NAME": value = .domain
        case "B", "BOARD": value = .board
        case "EXTENSION", "IDENTIFIER", "PROVIDER": value = .extension
        default:
            return add(placeholder.contains("|") ? placeholder.split(separator: "|").map { Candidate(String($0)) } : [])
        }
        if !values.contains(value) { values.append(value) }
    }

    /// Adds the given candidates that begin with ``prefix``, without duplicates.
    package mutating func add(_ found: [Candidate]) {
        for candidate in found where candidate.word.hasPrefix(prefix) {
            let whole = Candidate(start + candidate.word, candidate.summary)
            if !candidates.contains(where: { $0.word == whole.word }) { candidates.append(whole) }
        }
    }

    /// Returns the completions in the form that the shells' scripts read: a line for each candidate, with its summary
    /// after a tab, and a line `:file` or `:directory` if the shell has to add file names.
    package func text() -> String {
        // Names with control characters are left out, because the shell would read them as further lines.
        let readable = candidates.filter {
            !$0.word.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
        var lines = readable.map { $0.summary.isEmpty ? $0.word : $0.word + "\t" + $0.summary }
        if start.isEmpty {
            if values.contains(.file) || values.contains(.item) {
                lines.append(":file")
            } else if values.contains(.directory) {
                lines.append(":directory")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
