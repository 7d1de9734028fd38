import LinuxSystem

/// Manual pages for man(1), in the language of roff: see man(7).
enum ManualPage {
    /// Returns the manual page of a program.
    static func text(of manual: ProgramManual) -> String {
        let command = manual.command
        var lines = [
            ".TH \(manual.name.uppercased()) \(manual.section) \"\" \"Purvey \(PurveyVersion.text)\" Purvey",
            ".SH NAME", escaped(manual.name) + " \\- " + escaped(manual.summary),
            ".SH SYNOPSIS",
        ]
        lines += synopsis(of: command)
        lines.append(".SH DESCRIPTION")
        lines += paragraphs(command.summary)
        if !manual.commands.isEmpty { lines += [".SH COMMANDS"] + manual.commands.flatMap(section) }
        lines.append(".SH OPTIONS")
        lines += command.options.flatMap(entry)
        if !command.discussion.isEmpty { lines += [".SH NOTES"] + paragraphs(command.discussion) }
        lines +=
            [".SH EXIT STATUS"]
            + [("0", "success"), ("1", "failure"), ("2", "wrong usage")].flatMap { entry($0, nil, $1) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(of command: CommandManual) -> [String] {
        var lines = [".SS " + escaped(command.name ?? "")] + synopsis(of: command)
        lines += [".PP"] + paragraphs(sentence(command.summary))
        lines += command.options.flatMap(entry)
        if !command.discussion.isEmpty { lines += [".PP"] + paragraphs(command.discussion) }
        return lines
    }

    private static func synopsis(of command: CommandManual) -> [String] {
        var lines: [String] = []
        for form in command.usage {
            if !lines.isEmpty { lines.append(".br") }
            lines.append("\\fB" + escaped(command.invocation) + "\\fR" + (form.isEmpty ? "" : " " + escaped(form)))
        }
        return lines
    }

    private static func entry(of option: CommandManual.Option) -> [String] {
        entry(option.spelling, option.value, option.summary)
    }

    private static func entry(_ term: String, _ value: String?, _ text: String) -> [String] {
        let placeholder = value.map { " \\fI" + escaped($0) + "\\fR" } ?? ""
        return [".TP", "\\fB" + escaped(term) + "\\fR" + placeholder, line(text)]
    }

    /// Returns the lines of a text in roff. An empty line begins a new paragraph. Indented lines are examples, whose
    /// line breaks stay.
    private static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var isExample = false
        for source in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let startsExample = source.hasPrefix(" ")
            if startsExample != isExample, !source.isEmpty {
                lines += startsExample ? [".PP", ".nf"] : [".fi"]
                isExample = startsExample
            }
            lines.append(source.isEmpty ? ".PP" : line(String(source)))
        }
        if isExample { lines.append(".fi") }
        return lines
    }

    /// Returns a phrase with a capital letter at its start and a full stop at its end.
    private static func sentence(_ phrase: String) -> String {
        let start = phrase.prefix(1).uppercased() + phrase.dropFirst()
        return start.hasSuffix(".") ? start : start + "."
    }

    /// Returns a line of text. Escapes a dot or an apostrophe at the start, because roff would read such a line as a
    /// request.
    private static func line(_ text: String) -> String {
        let text = escaped(text)
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }

    /// Returns a text with its backslashes and hyphens escaped, so that they are printed unchanged.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            default: result.append(character)
            }
        }
        return result
    }
}
