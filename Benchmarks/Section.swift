/// One part of the benchmark: a group of related figures, such as `types` or `copy`.
///
/// A section is an extension in a separate file (`Types.swift`: `extension Section { static let types }`), and is
/// listed in `main.swift`.
struct Section: Sendable {
    /// The name of the section on the command line.
    let name: String
    /// Measures, and adds the figures to the report. Runs on the main thread and may block. An error ends only this
    /// section, and counts as a missed target.
    let run: @Sendable (inout Report) throws -> Void
}

/// Work of a section in a new process: the benchmark starts itself with `--child NAME ARGUMENTS…`.
struct ChildRole: Sendable {
    let name: String
    /// The work of the child. Its standard output is the result of ``BenchmarkChild/output(of:_:)``.
    let run: @Sendable ([String]) throws -> Void
}
