import Foundation

extension Report {
    /// The report as a table for users, with one block for each section.
    var table: String {
        sections.map { section in
            let header = [section.name, "measured", "peer", "ratio", "target", "ok"]
            let rows = [header] + section.entries.map(Self.cells)
            let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
            return rows.map { row in
                row.enumerated().map { column, cell in
                    let padding = String(repeating: " ", count: widths[column] - cell.count)
                    return column == 0 || column == header.count - 1 ? cell + padding : padding + cell
                }
                .joined(separator: "  ")
                .trimmingTrailingSpaces
            }
            .joined(separator: "\n")
        }
        .joined(separator: "\n\n")
    }

    private static func cells(_ entry: Entry) -> [String] {
        switch entry {
        case .figure(let figure):
            [
                figure.name,
                figure.unit.text(figure.value),
                figure.peer.map { "\($0.name) \(figure.unit.text($0.value))" } ?? "",
                figure.ratio.map { String(format: "%.3f", $0) } ?? "",
                figure.targetText,
                figure.isMet.map { $0 ? "ok" : "MISSED" } ?? "",
            ]
        case .skipped(let name, let reason): [name, "", "", "", "", "skipped: \(reason)"]
        case .peerless(let name, let reason): [name, "", "", "", "", "NO PEER: \(reason)"]
        case .failed(let name, let reason): [name, "", "", "", "", "FAILED: \(reason)"]
        }
    }
}

extension Figure {
    fileprivate var targetText: String {
        switch target {
        case .atMost(let limit): "<= \(unit.text(limit))"
        case .atLeast(let limit): ">= \(unit.text(limit))"
        case .ratioAtMost(let limit): "<= \(String(format: "%g", limit)) x"
        case .ratioAtLeast(let limit): ">= \(String(format: "%g", limit)) x"
        case .none: ""
        }
    }
}

extension Figure.Unit {
    /// Returns a value with the unit in which it is most readable.
    func text(_ value: Double) -> String {
        switch self {
        case .seconds:
            Self.scaled(value, [(1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")])
        case .bytesPerSecond:
            Self.scaled(value, [(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")])
        case .bytes:
            Self.scaled(value, [(1_073_741_824, "GiB"), (1_048_576, "MiB"), (1024, "KiB"), (1, "B")])
        case .count:
            String(format: "%.0f", value)
        }
    }

    private static func scaled(_ value: Double, _ scales: [(Double, String)]) -> String {
        let scale = scales.first { abs(value) >= $0.0 } ?? scales[scales.count - 1]
        return String(format: "%.3g", value / scale.0) + " " + scale.1
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var result = self
        while result.hasSuffix(" ") { result.removeLast() }
        return result
    }
}
