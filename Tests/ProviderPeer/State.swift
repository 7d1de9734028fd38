import FileProvider
import Foundation

/// A peer whose domain state comes from a file of the test: the version in the first line and a text in the second.
protocol StatePeer: CataloguePeer, NSFileProviderDomainState {}

extension Peer: StatePeer {}

extension ReplicaPeer: StatePeer {}

extension StatePeer {
    private var lines: [String] {
        let text = (try? String(contentsOf: folder.appendingPathComponent("state"), encoding: .utf8)) ?? "0"
        return text.split(separator: "\n").map(String.init)
    }

    var domainVersion: NSFileProviderDomainVersion {
        let count = lines.first.flatMap { Int($0) } ?? 0
        return (0..<count).reduce(NSFileProviderDomainVersion()) { version, _ in version.next() }
    }

    var userInfo: [AnyHashable: Any] {
        [
            "text": lines.last ?? "", "number": 2.5, "date": Date(timeIntervalSince1970: 60), "flag": true,
            "list": [1, 2], 7: "no text",
        ]
    }
}
