import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import LinuxSystem

/// Changes the settings of domains, and signs in, through the provider's set-up.
extension DomainService {
    nonisolated func addSetUpCalls(to service: inout Service) {
        service.on(SetDomainCall.self) { request, call in call.answer { try await self.set(request) } }
        service.on(SetUpSignInCall.self) { request, call in call.answer { try await self.signIn(request) } }
    }

    /// Changes settings of a domain. If the provider refuses the settings that concern it, no setting is changed.
    private func set(_ request: SetDomainCall) async throws -> DomainDescription {
        try await ready()
        try DomainSettings.checkOnce(request.settings)
        try DomainSettings.checkOwn(request.settings)
        guard let place = places[request.name] else {
            throw DomainError.noSuchDomain(request.name, among: places.keys)
        }
        if case .changing = place { throw DomainError("\(request.name) is being changed; try again") }
        guard !place.record.isDamaged else {
            throw DomainError("\(request.name) is damaged: its settings are not known")
        }
        let foreign = request.settings.filter { !$0.isOwn }
        if !foreign.isEmpty {
            await passwords?.unlockForUser()
            let user = try SetUpQuestions.client(at: request.questions)
            defer { user?.close() }
            try await change(foreign, of: place.record, askingThrough: user)
        }
        for setting in request.settings where setting.isOwn {
            guard var record = places[request.name]?.record else { break }
            record.settings.removeAll { $0.key == setting.key }
            if !setting.value.isEmpty { record.settings.append(setting) }
            try await update(record)
            if case .running(_, let domain) = places[request.name] {
                let limit = record.cacheLimit
                await domain.engine.run { $0.evictor.setLimit(limit, $0) }
                await adoptPause(of: record, domain)
                await noteWatch(record.name)
            }
        }
        guard let now = places[request.name] else { throw DomainError.noSuchDomain(request.name, among: places.keys) }
        return description(of: now)
    }

    /// Changes the provider's settings, after the provider has checked them.
    private func change(
        _ settings: [DomainSetting], of record: DomainRecord, askingThrough user: Connection?
    ) async throws {
        let fixed = settings.map(\.key).joined(separator: ", ")
        guard record.managed == nil, !settings.contains(where: { $0.key == DomainSetting.path }) else {
            throw Self.fixed(settings.contains { $0.key == DomainSetting.path } ? DomainSetting.path : fixed)
        }
        let domain = try await domain(record.name)
        var settled = record.settings.filter { known in !settings.contains { $0.key == known.key } }
        settled += settings.filter { !$0.value.isEmpty }
        try await HandlerThreads.shared.value { [folders, settled] () throws in
            let bundle = try ExtensionLibrary(data: folders.locations.data).find(record.provider)
            try DomainSettings.checkKnown(settings, for: bundle)
            try DomainSettings.checkComplete(settled, for: bundle)
        }
        var candidate = record
        candidate.settings = settled
        let isServed: Bool
        do {
            isServed = try await RunningDomain.setUp(
                candidate, for: .changing, by: domain.provider, domain.questions, askingThrough: user
            ) { settings in
                try await self.adopt(settings, name: record.name, identifier: record.identifier)
            }
        } catch {
            throw DomainError("\(record.name) stays as it was: \(DomainError(error))", like: error)
        }
        guard isServed else { throw Self.fixed(fixed) }
        // The new settings may denote another service, or another account with other items.
        await domain.engine.retry()
        domain.engine.signal(container: nil)
    }

    private static func fixed(_ keys: String) -> DomainError {
        DomainError(
            "\(keys) stays as it was when the domain was added; "
                + DomainSetting.own.map(\.key).joined(separator: " and ") + " can be changed")
    }

    private func signIn(_ request: SetUpSignInCall) async throws -> SetUpSignInCall.Reply {
        await passwords?.unlockForUser()
        let domain = try await domain(request.name)
        guard let record = places[request.name]?.record else {
            throw DomainError.noSuchDomain(request.name, among: places.keys)
        }
        let user = try SetUpQuestions.client(at: request.questions)
        defer { user?.close() }
        let isServed = try await RunningDomain.setUp(
            record, for: .signingIn, by: domain.provider, domain.questions, askingThrough: user
        ) { settings in
            try await self.adopt(settings, name: record.name, identifier: record.identifier)
        }
        if isServed {
            await domain.engine.retry()
            domain.engine.signal(container: nil)
        }
        return SetUpSignInCall.Reply(isServed: isServed)
    }

    /// Stores the settings of a successful set-up, and returns the domain with them.
    private func adopt(_ settings: [DomainSetting], name: String, identifier: String) async throws -> DomainRecord {
        guard let record = places[name]?.record, record.identifier == identifier else {
            throw DomainError("\(name) was removed meanwhile")
        }
        // If a program manages the domain, that program sets the domain's data itself.
        guard record.managed == nil else { return record }
        let changed = record.with(settings: settings)
        try await update(changed)
        return changed
    }
}
