/// A violation of a property that must hold despite any fault.
package struct Loss: Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        case lostEdit = "lost edit"
        case torn = "torn file"
        case duplicate
        case unreachable
        case indexDiffers = "index differs"
        case leftBehind = "left behind"
        /// An edit failed although it needs only this machine.
        case refused
        case notSettled = "not settled"
        /// A process ended unexpectedly.
        case crash
        /// A step at which data could be lost was not reached, so that no fault occurred there.
        case notReached = "not reached"
    }

    package let kind: Kind
    package let path: String
    package let words: String

    init(_ kind: Kind, _ path: String, _ words: String) {
        self.kind = kind
        self.path = path
        self.words = words
    }

    package var description: String { "\(kind.rawValue): \(path.isEmpty ? "" : path + ": ")\(words)" }

    /// Returns the beginning and the size of a text.
    static func excerpt(_ text: String) -> String {
        "“\(text.prefix(60).replacing("\n", with: "⏎"))” (\(text.utf8.count) bytes)"
    }

    /// The side on which a tree was found.
    package enum Side: String, Sendable {
        case mount, service
    }

    /// Returns the differences between an expected tree and the one found.
    ///
    /// - Parameters:
    ///   - texts: All complete contents that any file may have had at some time.
    ///   - side: The side on which the tree was found.
    package static func between(
        _ expected: [String: String], _ found: [String: String], texts: Set<String>, _ side: Side
    ) -> [Loss] {
        var losses: [Loss] = []
        for (path, wanted) in expected.sorted(by: { $0.key < $1.key }) {
            guard let there = found[path] else {
                losses.append(
                    Loss(side == .mount ? .unreachable : .lostEdit, path, "it is not in the \(side.rawValue)"))
                continue
            }
            guard there != wanted else { continue }
            let kind: Kind = texts.contains(there) ? .lostEdit : .torn
            losses.append(
                Loss(kind, path, "in the \(side.rawValue) it is \(excerpt(there)) instead of \(excerpt(wanted))"))
        }
        for (path, there) in found.sorted(by: { $0.key < $1.key }) where expected[path] == nil {
            losses.append(
                Loss(.duplicate, path, "the \(side.rawValue) has \(excerpt(there)) there, which nobody put there"))
        }
        return losses
    }
}
