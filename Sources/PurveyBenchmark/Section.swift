/// One part of the benchmark: a group of figures that belong together, such as `types` or `copy`.
///
/// A section is an extension of its own in a file of its own (`Types.swift`: `extension Section { static let types }`),
/// and is listed in `main.swift`.
struct Section: Sendable {
    /// The word by which the section is chosen on the command line.
    let name: String
    /// Measures, and adds a figure to the report for each thing measured. Runs on the main thread and may block.
    /// An error ends this section only; it counts as a missed target.
    let run: @Sendable (inout Report) throws -> Void
}

/// Work that a section needs done in a fresh process: the benchmark starts itself with `--child NAME ARGUMENTS…`.
struct ChildRole: Sendable {
    let name: String
    /// What the child does; what it prints on standard output is what ``Child/output(of:_:)`` returns.
    let run: @Sendable ([String]) throws -> Void
}
