import AppExtension
import DomainMessages
import Exchange
import ExtensionHost
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Checks the domain settings that the user gives.
enum DomainSettings {
    /// Throws if a setting is given more than once.
    static func checkOnce(_ settings: [DomainSetting]) throws(DomainError) {
        var keys: Set<String> = []
        for setting in settings where !keys.insert(setting.key).inserted {
            throw DomainError("\(setting.key) is given twice")
        }
    }

    /// Throws if a setting is invalid, or if a setting that the provider requires is missing.
    static func check(_ settings: [DomainSetting], for bundle: ExtensionBundle) throws(DomainError) {
        try checkKnown(settings, for: bundle)
        try checkOwn(settings)
        try checkComplete(settings, for: bundle)
    }

    /// Throws if a setting is known neither to the provider nor to Purvey, for example because of a typing error.
    static func checkKnown(_ settings: [DomainSetting], for bundle: ExtensionBundle) throws(DomainError) {
        let known = bundle.domainSettings ?? [DomainSetting.path: "a folder that is handed to it"]
        for setting in settings where !setting.isOwn && known[setting.key] == nil {
            let words = known.sorted { $0.key < $1.key }.map { $0.value.isEmpty ? $0.key : "\($0.key) (\($0.value))" }
            let complaint = SpellingSuggestion.sentence(
                "\(bundle.name) has no setting \"\(setting.key)\"", about: setting.key,
                known: known.keys.sorted() + DomainSetting.own.map(\.key))
            throw DomainError(
                complaint + "; there is "
                    + (words + DomainSetting.own.map { "\($0.key) (\($0.meaning))" }).joined(separator: ", "))
        }
    }

    /// Throws if a setting that the provider requires is missing.
    static func checkComplete(_ settings: [DomainSetting], for bundle: ExtensionBundle) throws(DomainError) {
        let given = Set(settings.map(\.key))
        let missing = (bundle.domainSettings ?? [:]).filter {
            !given.contains($0.key) && !bundle.optionalSettings.contains($0.key)
        }
        guard !missing.isEmpty else { return }
        let words = missing.sorted { $0.key < $1.key }.map { key, text in
            "\(key)=\(key == DomainSetting.path ? "DIR" : "VALUE")" + (text.isEmpty ? "" : " (\(text))")
        }
        throw DomainError("\(bundle.name) needs \(words.joined(separator: ", "))")
    }

    /// Throws for invalid values of Purvey's own settings.
    static func checkOwn(_ settings: [DomainSetting]) throws(DomainError) {
        for setting in settings where setting.key == DomainSetting.cache && !setting.value.isEmpty {
            guard ByteCount.read(setting.value) == nil else { continue }
            throw DomainError("\"\(setting.value)\" is not a size for \(setting.key): write it like 500M or 20G")
        }
        for setting in settings where setting.key == DomainSetting.metered && !setting.value.isEmpty {
            guard !DomainSetting.meteredValues.contains(setting.value) else { continue }
            throw DomainError(
                SpellingSuggestion.sentence(
                    "\(setting.key) cannot be \"\(setting.value)\"", about: setting.value,
                    known: DomainSetting.meteredValues, listing: true))
        }
    }
}

extension DomainService {
    /// Stores the directory that was handed to a domain, if the domain's record lacks it. A record lacks it if an older
    /// build wrote the record, or if the directory could not be opened earlier.
    func noteHanded(_ folder: HandedFolder, of identifier: String) async {
        for case .running(var record, _) in places.values
        where record.identifier == identifier && record.handed == nil {
            record.handed = folder
            do {
                try await update(record)
            } catch {
                log.warning("the folder of the domain \(record.name) cannot be noted: \(error)")
            }
        }
    }

    /// Ends the processes of a provider, because they run an older build.
    func renew(_ provider: String) async {
        for case .running(let record, let domain) in places.values where record.provider == provider {
            await domain.provider.renew()
        }
    }

    /// Makes the engine fetch a domain's changes.
    func signal(_ request: SignalDomainCall) async throws {
        let engine = try await domain(request.name).engine
        if let container = request.container, !ProviderItem.fixedContainers.contains(container) {
            do {
                let item = try await engine.learn(of: container)
                guard item.item.kind == .folder else {
                    throw DomainError("\(container) is not a container: it is the file “\(item.name)”")
                }
            } catch let failure as ProviderError where failure.kind == .noSuchItem {
                throw DomainError(
                    "\(request.name) has no container \"\(container)\"; 'purvey stat' shows a folder's identifier",
                    .noSuchItem)
            }
        }
        engine.signal(container: request.container)
    }
}

extension ProviderItem {
    /// The containers that every domain has.
    fileprivate static let fixedContainers: Set<String> = [rootIdentifier, workingSetIdentifier, trashIdentifier]
}
