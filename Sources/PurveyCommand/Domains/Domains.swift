import DomainMessages
import Exchange
import FileProviderWire
import Foundation
import LinuxSystem

extension Command {
    static let domains = Command(
        name: "domains", summary: "list, add, change and remove mounted services",
        usage: [
            "[--json]", "add [--json] [--password-file FILE] PROVIDER NAME [KEY=VALUE…]",
            "set [--json] [--password-file FILE] DOMAIN KEY=VALUE…", "remove [--json] [--keep-edits] DOMAIN",
        ],
        options: [
            .flag("json", "print JSON"),
            .value("password-file", "FILE", "sign in with the first line of FILE; - is standard input"),
            .flag("keep-edits", "copy out edits that the service does not have, and print where they are"),
        ],
        discussion: """
            PROVIDER is the short name, identifier or name of an installed extension (see 'purvey extensions'). NAME
            becomes the name of the mounted folder. The provider checks the settings and signs in first. If that fails,
            nothing is added. If the service needs a password, the terminal asks for it, or --password-file has it and
            user= the name. Passwords are stored encrypted (Documentation/Passwords.md).

            KEY=VALUE is a setting. The provider defines its keys. Three keys are Purvey's own:
              path=DIR    a folder that is handed to the provider, which can open nothing else of yours; a ~ at the
                          beginning is $HOME
              cache=SIZE  the limit of downloaded contents on this machine (10G), such as 500M or 20G. The least recently
                          used contents are removed first. Kept items ('purvey keep'), open files, and edits that the
                          service does not have, do not count.
              metered=wait
                          the default: uploads and background downloads wait on a metered network; metered=use does not
                          wait. Files that are opened are fetched always.

            'set' changes settings after the provider has checked them. If that fails, all stay as they were. cache=
            and metered= change at once, path= cannot be changed, and an empty value removes a setting.

            'remove' removes the domain from this machine, and changes nothing at the service. It fails if the service
            does not have all edits, unless --keep-edits is given.
            """
    ) { arguments in
        let operands = arguments.operands
        if arguments.has("keep-edits"), operands.first != "remove" {
            throw UsageError("--keep-edits goes with remove")
        }
        if arguments.value("password-file") != nil, operands.first != "add", operands.first != "set" {
            throw UsageError("--password-file goes with add and set")
        }
        switch (operands.first, operands.count) {
        case (nil, _): try await list(asJSON: arguments.has("json"))
        case ("add", 3...):
            let settings = try operands.dropFirst(3).map(setting)
            let domain = try await add(
                operands[1], operands[2], settings, passwordFile: arguments.value("password-file"))
            if arguments.has("json") {
                try JSONOutput.print(ListedDomain(domain))
            } else {
                try StandardOutput.print((domain.mount ?? domain.name) + "\n")
            }
            await ListingProgress.show(of: domain.name)
            if domain.mount == nil, let fault = domain.fault { StandardError.complain("domains: \(fault)") }
        case ("set", 3...):
            let settings = try operands.dropFirst(2).map(setting)
            let name = operands[1]
            let password = try arguments.value("password-file").map(PasswordSource.firstLine)
            let domain = try await SetUpSession.run(password: password, user: user(in: settings)) { questions in
                try await DomainClient.call(SetDomainCall(name: name, settings: settings, questions: questions))
            }
            if arguments.has("json") { try JSONOutput.print(ListedDomain(domain)) }
        case ("remove", 2):
            let removed = try await DomainClient.call(
                RemoveDomainCall(name: operands[1], keepsEdits: arguments.has("keep-edits")), once: true)
            if arguments.has("json") {
                try JSONOutput.print(RemovedDomain(name: operands[1], edits: removed.edits))
            } else if let edits = removed.edits {
                try StandardOutput.print(edits + "\n")
            }
        case ("add", _): throw UsageError("add takes a provider, a name and what the provider needs to know")
        case ("set", _): throw UsageError("set takes a name and settings, such as cache=20G")
        case ("remove", _): throw UsageError("remove takes one name")
        case (let word?, _):
            throw UsageError(
                about: word, "there is no 'domains \(word)'", known: ["add", "set", "remove"], listing: true)
        }
    }

    private static func add(
        _ provider: String, _ name: String, _ settings: [DomainSetting], passwordFile: String?
    ) async throws -> DomainDescription {
        let user = user(in: settings)
        let given = try passwordFile.map(PasswordSource.firstLine)
        do {
            return try await SetUpSession.run(password: given, user: user) { questions in
                try await DomainClient.call(
                    AddDomainCall(
                        provider: provider, name: name, settings: settings, password: given, questions: questions),
                    once: true)
            }
        } catch let error as CommandError
            where given == nil && error.fault == .signInRefused && Terminal.isThere
        {
            // The provider does not set up domains, but requires a password.
        }
        return try await PasswordSource.use(for: name, command: "domains") {
            try await DomainClient.call(
                AddDomainCall(provider: provider, name: name, settings: settings, password: $0), once: true)
        }
    }

    /// Returns the user name in the given settings; `nil` if they contain none.
    private static func user(in settings: [DomainSetting]) -> String? {
        settings.last { $0.key == "user" && !$0.value.isEmpty }?.value
    }

    private static func setting(_ word: String) throws -> DomainSetting {
        guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
            throw UsageError("'\(word)' is not KEY=VALUE")
        }
        let key = String(word[..<equals])
        let value = String(word[word.index(after: equals)...])
        // The daemon has another working directory, so the path must be absolute.
        guard key == DomainSetting.path else { return DomainSetting(key: key, value: value) }
        guard !value.isEmpty else { throw UsageError("path= needs a folder") }
        return DomainSetting(key: key, value: URL(fileURLWithPath: inHome(value)).standardizedFileURL.path)
    }

    /// Returns the path with a leading `~` replaced by the value of `HOME`. Shells do not expand `~` after `path=`.
    private static func inHome(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"],
            !home.isEmpty
        else { return path }
        return home + path.dropFirst()
    }

    private static func list(asJSON: Bool) async throws {
        let domains = try await DomainClient.call(ListDomainsCall()).domains
        if asJSON { return try JSONOutput.print(domains.map(ListedDomain.init)) }
        if domains.isEmpty { StandardError.noteNoDomain() }
        for domain in domains {
            let place = domain.mount ?? domain.state.word
            let words = [domain.name, domain.provider, place, domain.fault].compactMap { $0 }
            try StandardOutput.print(words.map { OneLine.text($0) }.joined(separator: "  ") + "\n")
        }
    }
}

/// The JSON of `purvey domains remove`.
private struct RemovedDomain: Encodable {
    let name: String
    /// The directory of the edits that were copied out; `nil` if there were none.
    let edits: String?

    private enum CodingKeys: CodingKey { case name, edits }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        // Without edits, the key is encoded as null, so that scripts find every key.
        try container.encode(edits, forKey: .edits)
    }
}

/// A domain in the JSON of `purvey domains` and `purvey status`.
struct ListedDomain: Encodable {
    private let domain: DomainDescription

    init(_ domain: DomainDescription) { self.domain = domain }

    private enum CodingKeys: CodingKey {
        case name, identifier, provider, settings, cacheLimit, state, mount, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(domain.name, forKey: .name)
        try container.encode(domain.identifier, forKey: .identifier)
        try container.encode(domain.provider, forKey: .provider)
        let settings = domain.settings.map { ($0.key, $0.value) }
        try container.encode(Dictionary(settings) { _, last in last }, forKey: .settings)
        try container.encode(domain.cacheLimit, forKey: .cacheLimit)
        try container.encode(domain.state.word, forKey: .state)
        // Missing values are encoded as null, so that scripts find every key.
        try container.encode(domain.mount, forKey: .mount)
        try container.encode(domain.fault, forKey: .error)
    }
}
