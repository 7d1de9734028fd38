import AppExtension
import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProviderEngine
import FileProviderWire
import Glibc
import ItemValues
import LinuxSystem

/// Registers and serves the calls about domains.
extension DomainService {
    nonisolated func addCalls(to service: inout Service) {
        service.on(ListDomainsCall.self) { _, call in
            call.answer { ListDomainsCall.Reply(domains: try await self.listed()) }
        }
        service.on(AddDomainCall.self) { request, call in call.answer { try await self.add(request) } }
        service.on(RemoveDomainCall.self) { request, call in call.answer { try await self.remove(request) } }
        service.on(DomainsStatusCall.self) { _, call in
            call.answer {
                DomainsStatusCall.Reply(
                    processID: getpid(), domains: try await self.activities(), weaknesses: await self.weaknesses())
            }
        }
        service.on(RetryDomainCall.self) { request, call in call.answer { try await self.retry(request.name) } }
        service.on(SignInDomainCall.self) { request, call in
            call.answer {
                try await self.signIn(request)
                return Empty()
            }
        }
        service.on(RenewProviderCall.self) { request, call in
            call.answer {
                await self.renew(request.provider)
                return Empty()
            }
        }
        service.on(SignalDomainCall.self) { request, call in
            call.answer {
                try await self.signal(request)
                return Empty()
            }
        }
        service.on(ListFolderCall.self) { request, call in
            call.answer { try await self.at(request.place) { try await $0.list(after: request.position) } }
        }
        service.on(DescribeItemCall.self) { request, call in
            call.answer { try await self.at(request.place) { try await $0.describe() } }
        }
        service.on(DownloadItemCall.self) { request, call in
            call.answer {
                try await self.at(request.place) { item in
                    try await item.download { call.report(completed: $0, total: $1) }
                }
                return Empty()
            }
        }
        service.on(EvictItemCall.self) { request, call in
            call.answer {
                try await self.at(request.place) { try await $0.evict(unpins: true) }
                return Empty()
            }
        }
        service.on(KeepItemCall.self) { request, call in
            call.answer {
                try await self.at(request.place) { item in
                    guard request.isWanted else { return try await item.endKeeping() }
                    try await item.keep { call.report(completed: $0, total: $1) }
                }
                return Empty()
            }
        }
        addSetUpCalls(to: &service)
        addPausingCalls(to: &service)
        addKeyringCall(to: &service)
        addWorkingSetCalls(to: &service)
        addActionCalls(to: &service)
        addAlertCalls(to: &service)
        addInterfaceCalls(to: &service)
        addTrashCalls(to: &service)
        addStateCalls(to: &service)
        addProviderSearchCall(to: &service)
    }

    /// Returns the domains. Each description contains the fault that prevents the domain's work, if any, such as the
    /// provider's last failure.
    private func listed() async throws -> [DomainDescription] {
        var domains: [DomainDescription] = []
        for var domain in try await descriptions() {
            if domain.fault == nil, case .running(let record, let running) = places[domain.name] {
                domain.fault = await missing(of: record)
                if domain.fault == nil { domain.fault = await running.provider.disabling?.message }
                if domain.fault == nil { domain.fault = try? await running.engine.status().failure?.message }
            }
            domains.append(domain)
        }
        return domains
    }

    /// Returns a sentence about a missing part of a domain: its extension, or the directory that was handed to it.
    /// Returns `nil` if nothing is missing.
    private func missing(of record: DomainRecord) async -> String? {
        await HandlerThreads.shared.value { [folders] in
            do {
                _ = try ExtensionLibrary(data: folders.locations.data).find(record.provider)
            } catch {
                return "its provider cannot be started: \(error) ('purvey extensions install DIR' installs it)"
            }
            do throws(HandedFolderError) {
                _ = try record.providerDomain.handedFolder(apartFrom: [])
                return nil
            } catch {
                if error.isOther { return error.description }
                return "the folder that was handed to its provider is missing: \(error.description) "
                    + "(mount its disk, or move it back, and everything goes on by itself)"
            }
        }
    }

    /// Returns sentences about the restrictions of extensions that this system cannot enforce.
    private func weaknesses() async -> [String] {
        let handed = places.values.map(\.record).filter { $0.path != nil }.map(\.name).sorted()
        return await HandlerThreads.shared.value { ExtensionConfinement.weaknesses(handedTo: handed) }
    }

    private func activities() async throws -> [DomainActivity] {
        var activities: [DomainActivity] = []
        for description in try await descriptions() { activities.append(await activity(of: description)) }
        return activities
    }

    /// Returns the activity of a domain.
    func activity(of description: DomainDescription) async -> DomainActivity {
        var activity = DomainActivity(domain: description)
        if case .running(let record, let domain) = places[description.name] {
            activity.isPaused = record.isPaused
            activity.waitsForNetwork = waitsForNetwork(record)
            let missing = await missing(of: record)
            await Self.fill(&activity, domain, missing: missing)
            if let fault = keyringFault(of: record.provider) { activity.faults.insert(fault, at: 0) }
        }
        return activity
    }

    /// The maximum number of reported faults. More sentences do not help the user.
    private static let mostFaults = 20
    private static let mostNotes = 10
    /// The time in seconds for which the status reports edits that had a result other than the intended one.
    private static let noteTime: Double = 24 * 60 * 60

    private static let versionNote =
        "the provider gives files without itemVersion: size and date count as the version, and a change that keeps "
        + "both is not seen"

    /// Completes the status of a running domain.
    ///
    /// - Parameter missing: The sentence about a missing part of the domain.
    private static func fill(_ activity: inout DomainActivity, _ domain: RunningDomain, missing: String?) async {
        let errors = StatusErrors(domain: activity.domain.name, provider: activity.domain.provider)
        activity.faults += [missing].compactMap { $0 }
        do {
            let status = try await domain.engine.status()
            activity.downloadsWaiting = status.downloads.count { $0.isWaiting }
            activity.downloadsInFlight = status.downloads.count - activity.downloadsWaiting
            activity.cacheBytes = status.cleanBytes
            activity.keptMissing = status.wantedCount
            activity.marksInFlight = status.metadataInFlight
            activity.marksPaused = status.metadataPaused
            activity.marksWaiting = max(0, status.metadataCount - status.metadataInFlight - status.metadataPaused)
            if let complaint = status.complaint { activity.faults.append(errors.text(complaint)) }
            if let failure = status.localFailure { activity.faults.append(errors.text(failure)) }
            activity.disconnection = domain.provider.disconnectionReason ?? status.failure?.message ?? missing
            // If the provider is disabled, all requests to it fail for this reason, so no other failure is reported.
            let disabling = await domain.provider.disabling
            if let disabling, missing == nil {
                activity.disconnection = disabling.message
                let retry = "'purvey retry \(activity.domain.name.shellWord)'"
                activity.faults.append("\(disabling.advice) (\(retry) starts it again)")
            }
            if let failure = status.signIn.failure {
                activity.needsSignIn = true
                activity.faults.append(Self.request(for: failure, status.signIn, activity.domain.name))
            } else if let failure = status.failure, missing == nil, disabling == nil {
                activity.faults.append(errors.text(failure))
            }
            if let failure = status.pinningFailure, failure.kind != .notAuthenticated, missing == nil {
                activity.faults.append("some kept items are not on this machine: \(errors.text(failure))")
            }
            activity.quota = try await domain.engine.run { try $0.index.domainState() }.flatMap(DomainQuota.init)
            let edits = try await domain.engine.run { try $0.progress.editStatus() }
            activity.uploadsInFlight = edits.items.count { $0.isUnderWay }
            activity.uploadsWaiting = edits.items.count { !$0.isUnderWay && !$0.isCancelled }
            activity.transfers = TransferActivity.all(status.downloads, edits.items)
            let failures = edits.items.compactMap { item -> String? in
                // Edits that wait for a sign-in are not listed one by one, because the need for the sign-in is reported
                // already. A cancelled upload is not a failure.
                guard let failure = item.failure, failure.kind != .notAuthenticated, !item.isCancelled else {
                    return nil
                }
                return "\(item.name): \(errors.text(failure))"
            }
            let now = SystemEngineClock().now
            activity.notes = edits.events.filter { now - $0.time < noteTime }.suffix(mostNotes).map(\.sentence)
            if status.lacksVersions { activity.providerNotes.append(versionNote) }
            activity.faults += failures.prefix(mostFaults)
            if failures.count > mostFaults {
                activity.faults.append("and \(failures.count - mostFaults) more that could not be uploaded")
            }
        } catch {
            activity.faults.append(errors.text("\(DomainError(error))"))
        }
    }

    /// Returns the sentence that asks the user to sign in.
    private static func request(for failure: ProviderError, _ status: SignInStatus, _ name: String) -> String {
        guard status.isGivenUp else { return "\(failure.advice) 'purvey sign-in \(name.shellWord)' signs in" }
        return "signing in failed \(status.failedAttempts) times (\(failure.message)); edits are kept, and "
            + "'purvey sign-in \(name.shellWord)' tries again"
    }

    private func signIn(_ request: SignInDomainCall) async throws {
        await passwords?.unlockForUser()
        let engine = try await domain(request.name).engine
        do throws(ProviderError) {
            try await engine.signIn(password: request.password)
        } catch {
            throw Self.refusal(error, of: request.name)
        }
    }

    private static func refusal(_ failure: ProviderError, of name: String) -> any Error {
        switch failure.kind {
        case .notAuthenticated: DomainError(failure.advice, .signInRefused)
        case .unsupported:
            DomainError("\(failure.message): sign in with its own program, then 'purvey retry \(name.shellWord)'")
        default: failure
        }
    }

    /// Runs a function with the item at the given place. Error messages name the item as the user wrote it.
    func at<Value: Sendable>(
        _ place: ItemPlace, _ body: @Sendable (DomainItem) async throws -> Value
    ) async throws -> Value {
        let item = try await self.place(place)
        do {
            return try await body(item)
        } catch {
            throw DomainError(error).told(of: place.text)
        }
    }

    /// Finds the item that the user wrote as a path or as `DOMAIN:path`.
    func place(_ place: ItemPlace) async throws -> DomainItem {
        let (_, domain, names) = try await names(of: place)
        return try await find(place) { try await DomainItem.find(names, in: domain) }
    }

    /// Returns the domain that a place denotes, and the names on the item's path in that domain.
    func names(of place: ItemPlace) async throws -> (DomainRecord, RunningDomain, [String]) {
        try await ready()
        let named = Self.parts(of: place.text)
        // Text that begins with a domain's name and a colon denotes that domain, even if the working directory is in a
        // mount and could contain a file with such a name.
        if let named, let record = places[named.domain]?.record {
            return (record, try await domain(named.domain), named.names)
        }
        for (name, known) in places {
            guard case .running(let record, let domain) = known else { continue }
            // The standard mount point is recognized in addition to the actual one, because items have paths even while
            // the domain is not mounted.
            for path in [mountedPath(of: record), mountPath(of: name)].compactMap({ $0 }).flatMap(Self.forms) {
                if let names = place.path.pathNames(beneath: path) { return (record, domain, names) }
            }
        }
        // Throws an error with suggestions, because no domain has this name.
        if let named, !named.domain.hasSlash { _ = try await domain(named.domain) }
        throw DomainError("\(place.text) is in no domain; 'purvey domains' lists them", .noSuchItem)
    }

    /// Splits a text like `DOMAIN:path` into the domain's name and the names on the path; `nil` for other text.
    static func parts(of text: String) -> (domain: String, names: [String])? {
        guard let colon = text.firstColon, colon != text.startIndex else { return nil }
        var names: [String] = []
        for part in text[text.utf8.index(after: colon)...].pathNames where part != "." {
            if part == ".." { _ = names.popLast() } else { names.append(part) }
        }
        return (String(text[..<colon]), names)
    }

    /// Runs a function that finds an item. Error messages name the place as the user wrote it.
    func find(_ place: ItemPlace, _ body: () async throws -> DomainItem) async throws -> DomainItem {
        do {
            return try await body()
        } catch {
            throw DomainError(error).told(of: place.text)
        }
    }

    /// Returns the given path, and the path with the symbolic links in its parent directory resolved. Returns only one
    /// path if both are equal.
    static func forms(_ path: String) -> [String] {
        guard let slash = path.lastSlash, let resolved = realpath(String(path[..<slash]), nil) else { return [path] }
        defer { free(resolved) }
        let real = String(cString: resolved) + path[slash...]
        return real.hasSameBytes(as: path) ? [path] : [path, real]
    }
}
