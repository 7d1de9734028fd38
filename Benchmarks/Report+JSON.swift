import Foundation

extension Report {
    /// One line of the report in JSON. Values are in seconds, bytes, bytes per second or counts.
    private struct Line: Encodable {
        var section: String
        var figure: String
        var value: Double?
        var unit: String?
        var peer: String?
        var peerValue: Double?
        var ratio: Double?
        var met: Bool?
        var skipped: String?
        var missingPeer: String?
        var failed: String?
    }

    /// Returns the report as a JSON array with one object for each figure.
    func json() throws -> String {
        let lines = sections.flatMap { section in
            section.entries.map { entry in
                switch entry {
                case .figure(let figure):
                    Line(
                        section: section.name, figure: figure.name, value: figure.value, unit: figure.unit.rawValue,
                        peer: figure.peer?.name, peerValue: figure.peer?.value, ratio: figure.ratio, met: figure.isMet)
                case .skipped(let name, let reason): Line(section: section.name, figure: name, skipped: reason)
                case .peerless(let name, let reason):
                    Line(section: section.name, figure: name, missingPeer: reason)
                case .failed(let name, let reason): Line(section: section.name, figure: name, failed: reason)
                }
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(lines), as: UTF8.self)
    }
}
