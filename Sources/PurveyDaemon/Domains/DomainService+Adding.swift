import AppExtension
import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import Foundation
import ItemValues
import LinuxSystem

/// Adds domains, and changes their records.
extension DomainService {
    func add(_ request: AddDomainCall) async throws -> DomainDescription {
        try await ready()
        try DomainSettings.checkOnce(request.settings)
        let placeholder = DomainRecord(name: request.name, identifier: "", provider: request.provider, settings: [])
        let user = try SetUpQuestions.client(at: request.questions)
        defer { user?.close() }
        await passwords?.unlockForUser()
        return try await add(placeholder, password: request.password, askingThrough: user) {
            try await self.record(for: request)
        }
    }

    /// Adds a domain. Afterwards, the domain is complete and mounted; after a failure, nothing of it remains.
    ///
    /// - Parameters:
    ///   - placeholder: The record that other calls see while the domain is being added. It must have the domain's
    ///     name.
    ///   - password: The password for a sign-in before the start.
    ///   - user: The client that answers the provider's questions.
    func add(
        _ placeholder: DomainRecord, password: String? = nil, askingThrough user: Connection? = nil,
        _ makeRecord: () async throws -> DomainRecord
    ) async throws -> DomainDescription {
        let name = placeholder.name
        if let fault = DomainRecord.fault(ofName: name) { throw DomainError(fault) }
        guard places[name] == nil else { throw DomainError("there is a domain \"\(name)\" already") }
        places[name] = .changing(placeholder)
        do {
            let (record, domain) = try await RunningDomain.add(
                try await makeRecord(), password: password, askingThrough: user, in: surroundings)
            watchSignIn(name, domain)
            do {
                try await mount(record, domain)
                if isEnding { throw DomainError("the daemon is ending; try again") }
            } catch {
                await unmount(record)
                await domain.close()
                // If this fails, the remains are deleted at the next start, or appear as a domain then.
                try? await HandlerThreads.shared.value { [folders] () throws in try folders.remove(record) }
                await surroundings.removeRemains(of: record)
                throw error
            }
            places[name] = .running(record, domain)
            note()
            if waitsForNetwork(record) { await domain.engine.setPaused(true) }
            await noteWatch(name)
            log.info("the domain \(name) is added")
            return description(of: .running(record, domain))
        } catch {
            places[name] = nil
            throw DomainError("\(name) cannot be added: \(DomainError(error))", like: error)
        }
    }

    /// Stores a changed record. The provider receives the new record at the next start of its process.
    func update(_ record: DomainRecord) async throws {
        try await HandlerThreads.shared.value { [folders] () throws in try folders.update(record) }
        switch places[record.name] {
        case .running(_, let domain): places[record.name] = .running(record, domain)
        case .failed(_, let fault): places[record.name] = .failed(record, fault)
        case .changing: places[record.name] = .changing(record)
        case nil: break
        }
    }

    private func record(for request: AddDomainCall) async throws -> DomainRecord {
        try await HandlerThreads.shared.value { [folders, kept = keptFolders] () throws in
            let bundle = try ExtensionLibrary(data: folders.locations.data).find(request.provider)
            guard bundle.point == ExtensionBundle.providerPoint else {
                throw DomainError("the extension \(bundle.identifier) is not a file provider")
            }
            try DomainSettings.check(request.settings, for: bundle)
            var record = DomainRecord(
                name: request.name, identifier: UUID().uuidString, provider: bundle.identifier,
                settings: request.settings)
            // A failure is ignored, because the directory is opened again when the provider's process is started. A
            // failure is then reported.
            record.handed = try? record.providerDomain.handedFolder(apartFrom: kept)
            return record
        }
    }
}
