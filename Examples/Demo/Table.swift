import Foundation
import LinuxSystem

/// The table on standard output, which is printed row by row as loads finish, and the progress bar of the running load
/// on a terminal.
struct Table {
    private static let titles = ["promised / asked", "arrived", "time", "progress", "check"]
    private static let widths = [36, 40, 10, 8, 10]
    private static let barLength = 40
    /// Whether a bar is shown. The bar is redrawn on the line below the table, so both streams must be the terminal.
    private let showsBar = isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    private let output: FileDescriptor

    /// The error of a table that cannot be printed, because the reader has closed the pipe, or the disk is full.
    struct Failure: Error, CustomStringConvertible {
        let reason: Errno
        var description: String { "standard output: \(reason)" }
    }

    init() throws {
        do {
            output = try .copy(of: STDOUT_FILENO)
        } catch {
            throw Failure(reason: error)
        }
    }

    /// Prints the column titles.
    func begin() throws {
        try add(Self.titles)
        try add(Self.widths.map { String(repeating: "─", count: $0) })
    }

    /// Prints the heading of the following rows: one promise.
    func begin(_ promise: Promise) throws {
        let forms = promise.representations.map { "\($0.type) (\($0.form.rawValue))" }
        try say("\(promise.name): \(forms.joined(separator: ", "))")
    }

    /// Prints the row of a finished load.
    func add(_ load: Load, _ arrival: ChildReport.Arrival) throws {
        let preposition = load.delivery == .inPlace ? "" : "as "
        try add([
            "  \(load.representation.type) \(preposition)\(load.delivery.rawValue)",
            [arrival.form, arrival.details].compactMap { $0 }.joined(separator: ", "),
            String(format: "%.1f ms", arrival.seconds * 1000),
            "\(Int((arrival.fraction * 100).rounded())) %",
            arrival.check,
        ])
    }

    /// Prints a line. It replaces the bar, if one is shown.
    func say(_ text: String) throws {
        if showsBar { draw("\r\u{1B}[K") }
        do {
            try Array((text + "\n").utf8).withUnsafeBytes { try output.writeAll($0) }
        } catch let error as Errno {
            throw Failure(reason: error)
        }
    }

    /// Draws the bar of the running load.
    func show(_ fraction: Double) {
        guard showsBar else { return }
        let done = Int(min(max(fraction, 0), 1) * Double(Self.barLength))
        let bar = String(repeating: "█", count: done) + String(repeating: "░", count: Self.barLength - done)
        draw("\r  \(bar) \(Int(fraction * 100)) %\u{1B}[K")
    }

    private func add(_ cells: [String]) throws {
        let padded = zip(cells, Self.widths).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }
        try say(padded.joined(separator: "  "))
    }

    private func draw(_ text: String) {
        // The table is complete without the bar.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
