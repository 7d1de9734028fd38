import Foundation
import UniformTypeIdentifiers

extension Command {
    /// The command `purvey types`, which prints types of the registry and the freedesktop database.
    static let types = Command(
        name: "types",
        summary: "show the type of a file, a filename extension, a MIME type or an identifier",
        usage: [
            "[--json] FILE…",
            "[--json] --extension E | --mime M | --type T",
            "--batch <LINES",
        ],
        options: [
            .value("extension", "E", "the type of files with this extension"),
            .value("mime", "M", "the type of data of this MIME type"),
            .value("type", "T", "the type with this identifier"),
            .flag("batch", "read 'kind<TAB>value' lines from standard input, print a line of JSON for each"),
            .flag("json", "print JSON, one line for each type; null where there is none"),
        ],
        discussion: """
            The type of a file depends on its name, and then on its contents. The kinds of --batch are extension, mime,
            type, constant (a Swift name such as jpeg), name (a file name only), content (a file, but not its name) and
            file (both). For each line, one line is printed in the same order; null if there is no type.
            """,
        usesLocations: false
    ) { arguments in
        for fault in UTType.declarationFaults { StandardError.complain("types: \(OneLine.text(fault))") }
        if arguments.has("batch") {
            guard arguments.operands.isEmpty, !arguments.options.contains(where: { $0.value != nil }) else {
                throw UsageError("--batch takes its questions from standard input only")
            }
            try TypesBatch.run()
            return
        }
        let questions =
            try arguments.options.compactMap { option in
                try option.value.map { try TypesQuestion(option: option.name, value: $0) }
            } + arguments.operands.map { TypesQuestion(kind: .file, value: $0) }
        guard !questions.isEmpty else { throw UsageError("a file, --extension, --mime, --type or --batch is missing") }
        try TypesAnswers.print(questions, asJSON: arguments.has("json"))
    }
}

/// A request for the type of a value.
struct TypesQuestion {
    /// The kind of the value, as in the lines of `--batch`.
    enum Kind: String, CaseIterable {
        case `extension`, mime, type, constant, name, content, file
    }

    let kind: Kind
    let value: String

    init(kind: Kind, value: String) {
        self.kind = kind
        self.value = value
    }

    /// Creates the request that the given option states.
    fileprivate init(option: String, value: String) throws {
        guard let kind = Kind(rawValue: option) else { throw UsageError("option '--\(option)' asks for no type") }
        self.init(kind: kind, value: value)
    }

    /// Returns the requested type; `nil` if there is no such type.
    ///
    /// - Throws: the system's error for a file that cannot be read.
    func answer() throws -> UTType? {
        switch kind {
        case .extension: UTType(filenameExtension: value)
        case .mime: UTType(mimeType: value)
        case .type: UTType(value)
        case .constant: UTType(constant: value)
        case .name: UTType.type(ofFileName: value)
        case .content: try UTType(contentsOf: URL(fileURLWithPath: value))
        case .file: try UTType.type(ofItemAt: value)
        }
    }
}

/// The output of `purvey types` for its command line.
private enum TypesAnswers {
    /// Prints the type for each request. Failed requests are reported on standard error at the end. The other requests
    /// are processed nevertheless.
    static func print(_ questions: [TypesQuestion], asJSON: Bool) throws {
        var output = StandardOutput()
        var failures: [String] = []
        for question in questions {
            var type: UTType?
            do {
                type = try question.answer()
                if type == nil { failures.append(missing(question)) }
            } catch {
                failures.append("'\(question.value)': \(reason(error))")
            }
            if asJSON {
                try output.append { TypesJSON.append(type, to: &$0) }
            } else if let type {
                let description = type.localizedDescription.map { " (\($0))" } ?? ""
                let subject = question.kind == .file ? OneLine.text(question.value) + ": " : ""
                try output.write("\(subject)\(type.identifier)\(description)\n")
            }
        }
        try output.flush()
        guard let last = failures.popLast() else { return }
        for failure in failures { StandardError.complain("types: \(failure)") }
        throw CommandError(last)
    }

    private static func missing(_ question: TypesQuestion) -> String {
        switch question.kind {
        case .extension: "'\(question.value)' cannot be a filename extension; give it without the dot and slashes"
        case .mime: "'\(question.value)' is not a MIME type; it has to be like image/png"
        default: "nothing declares the type '\(question.value)'"
        }
    }

    /// Returns the system's message for an error of reading a file.
    private static func reason(_ error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        guard let underlying, underlying.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
        return String(cString: strerror(Int32(underlying.code)))
    }
}
