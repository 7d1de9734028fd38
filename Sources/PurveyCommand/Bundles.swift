import Conduit
import Exchange
import Foundation
import Glibc

extension Command {
    static let bundles = Command(
        name: "bundles", summary: "show the registered bundles, with the team and types of each program",
        usage: ["[--json]", "register DIR", "remove IDENTIFIER"],
        options: [.flag("json", "print JSON")],
        discussion: """
            A bundle is a folder with an Info.plist. Its keys are CFBundleIdentifier, CFBundleExecutable, and
            \(BundleInspection.teamKey) if it has a team. After it is registered, its types are known, and the daemon
            recognizes its program.
            """
    ) { arguments in
        let client = ExchangeClient.shared
        switch (arguments.operands.first, arguments.operands.count) {
        case (nil, _):
            let bundles = try await client.call(ListBundlesCall(), attempts: 3).bundles
            if arguments.has("json") {
                try JSONOutput.print(bundles.map { ListedBundle($0) })
            } else {
                if bundles.isEmpty { StandardError.note("no bundle is registered") }
                for bundle in bundles {
                    let team = bundle.team.map { "  team \(OneLine.text($0))" } ?? ""
                    try StandardOutput.print("\(bundle.identifier)  \(OneLine.text(bundle.path))\(team)\n")
                }
            }
        case ("register", 2):
            let path = URL(fileURLWithPath: arguments.operands[1]).path
            let bundle = try await client.call(RegisterBundleCall(path: path), attempts: 3)
            try StandardOutput.print(bundle.identifier + "\n")
        case ("remove", 2):
            _ = try await client.call(RemoveBundleCall(identifier: arguments.operands[1]))
        case ("register", _): throw UsageError("register takes one folder")
        case ("remove", _): throw UsageError("remove takes one bundle identifier")
        case (let word?, _):
            throw UsageError(
                about: word, "there is no 'bundles \(word)'", known: ["register", "remove"], listing: true)
        }
    }
}

/// A bundle in the JSON of `purvey bundles`.
private struct ListedBundle: Encodable {
    let bundle: BundleDescription

    init(_ bundle: BundleDescription) { self.bundle = bundle }

    private enum CodingKeys: CodingKey {
        case identifier, path, executable, team
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(bundle.identifier, forKey: .identifier)
        try container.encode(bundle.path, forKey: .path)
        try container.encode(bundle.executable, forKey: .executable)
        try container.encode(bundle.team, forKey: .team)
    }
}
