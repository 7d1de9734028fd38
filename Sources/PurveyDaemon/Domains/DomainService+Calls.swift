import AppExtension
import Conduit
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import Glibc
import LinuxSystem

/// The calls about domains, as the daemon's table has them.
extension DomainService {
    nonisolated func addCalls(to service: inout Service) {
        service.on(ListDomainsCall.self) { _, call in
            call.answer { ListDomainsCall.Reply(domains: try await self.listed()) }
        }
        service.on(AddDomainCall.self) { request, call in call.answer { try await self.add(request) } }
        service.on(RemoveDomainCall.self) { request, call in call.answer { try await self.remove(request) } }
        service.on(DomainsStatusCall.self) { _, call in
            call.answer { DomainsStatusCall.Reply(processID: getpid(), domains: try await self.activities()) }
        }
        service.on(RetryDomainCall.self) { request, call in call.answer { try await self.retry(request.name) } }
        service.on(SignInDomainCall.self) { request, call in
            call.answer {
                try await self.signIn(request)
                return Empty()
            }
        }
        service.on(SignalDomainCall.self) { request, call in
            call.answer {
                try await self.domain(request.name).engine.signal(container: request.container)
                return Empty()
            }
        }
        service.on(ListFolderCall.self) { request, call in
            call.answer { try await self.place(request.place).list(after: request.position) }
        }
        service.on(DescribeItemCall.self) { request, call in
            call.answer { try await self.place(request.place).describe() }
        }
        service.on(DownloadItemCall.self) { request, call in
            call.answer {
                try await self.place(request.place).download { call.report(completed: $0, total: $1) }
                return Empty()
            }
        }
        service.on(EvictItemCall.self) { request, call in
            call.answer {
                try await self.place(request.place).evict()
                return Empty()
            }
        }
        service.on(KeepItemCall.self) { request, call in
            call.answer {
                try await self.place(request.place).keep { call.report(completed: $0, total: $1) }
                return Empty()
            }
        }
        addWorkingSetCalls(to: &service)
        addActionCalls(to: &service)
        addInterfaceCalls(to: &service)
    }

    /// The domains, each with what is in its way: the provider's last failure too.
    private func listed() async throws -> [DomainDescription] {
        var domains: [DomainDescription] = []
        for var domain in try await descriptions() {
            if domain.fault == nil, case .running(let record, let running) = places[domain.name] {
                domain.fault = try? await running.engine.status().failure?.message
                if domain.fault == nil { domain.fault = await missingProvider(of: record) }
            }
            domains.append(domain)
        }
        return domains
    }

    /// What is wrong with the extension of a domain, which may have been removed since; `nil` for nothing.
    private func missingProvider(of record: DomainRecord) async -> String? {
        await HandlerThreads.shared.value { [folders] in
            do {
                _ = try ExtensionLibrary(data: folders.locations.data).find(record.provider)
                return nil
            } catch {
                return "its provider cannot be started: \(error)"
            }
        }
    }

    private func activities() async throws -> [DomainActivity] {
        var activities: [DomainActivity] = []
        for description in try await descriptions() {
            var activity = DomainActivity(domain: description)
            if case .running(let record, let domain) = places[description.name] {
                await Self.fill(&activity, domain)
                if activity.faults.isEmpty { activity.faults += [await missingProvider(of: record)].compactMap { $0 } }
            }
            activities.append(activity)
        }
        return activities
    }

    /// More sentences than these help nobody.
    private static let mostFaults = 20

    private static func fill(_ activity: inout DomainActivity, _ domain: RunningDomain) async {
        do {
            let status = try await domain.engine.status()
            activity.downloadsWaiting = status.downloads.count { $0.isWaiting }
            activity.downloadsInFlight = status.downloads.count - activity.downloadsWaiting
            activity.faults += [status.complaint].compactMap { $0 }
            if let failure = status.signIn.failure {
                activity.needsSignIn = true
                activity.faults.append(Self.request(for: failure, status.signIn, activity.domain.name))
            } else if let failure = status.failure {
                activity.faults.append(failure.advice)
            }
            activity.transfers += status.downloads.filter { $0.total > 0 && !$0.isWaiting }.map {
                TransferActivity(name: $0.name, isUpload: false, done: $0.done, total: $0.total)
            }
            let edits = try await domain.engine.editStatus()
            activity.uploadsInFlight = edits.items.count { $0.isUnderWay }
            activity.uploadsWaiting = edits.items.count - activity.uploadsInFlight
            activity.transfers += edits.items.filter { $0.total > 0 && $0.isUnderWay }.map {
                TransferActivity(name: $0.name, isUpload: true, done: $0.sent, total: $0.total)
            }
            let failures = edits.items.compactMap { item -> String? in
                // All of them wait for the same, which was said already.
                guard let failure = item.failure, failure.kind != .notAuthenticated else { return nil }
                return "\(item.name): \(failure.advice)"
            }
            activity.faults += failures.prefix(mostFaults)
            if failures.count > mostFaults {
                activity.faults.append("and \(failures.count - mostFaults) more that could not be uploaded")
            }
        } catch {
            activity.faults.append("\(DomainFailure(error))")
        }
    }

    /// The sentence that asks a person to sign in.
    private static func request(for failure: ProviderFailure, _ status: SignInStatus, _ name: String) -> String {
        guard status.isGivenUp else { return "\(failure.advice) 'purvey sign-in \(name)' signs in" }
        return "signing in failed \(status.failedAttempts) times (\(failure.message)); edits are kept, and "
            + "'purvey sign-in \(name)' tries again"
    }

    private func signIn(_ request: SignInDomainCall) async throws {
        let engine = try await domain(request.name).engine
        do throws(ProviderFailure) {
            try await engine.signIn(password: request.password)
        } catch {
            throw Self.refusal(error, of: request.name)
        }
    }

    private static func refusal(_ failure: ProviderFailure, of name: String) -> any Error {
        switch failure.kind {
        case .notAuthenticated: DomainFailure(failure.advice, .signInRefused)
        case .unsupported:
            DomainFailure("\(failure.message): sign in in its own way, and 'purvey retry \(name)' goes on")
        default: failure
        }
    }

    /// What a person means with a path or with `DOMAIN:path`.
    func place(_ place: ItemPlace) async throws -> DomainItem {
        let (_, domain, names) = try await names(of: place)
        return try await DomainItem.find(names, in: domain)
    }

    /// The domain that a person means, and the names on the way to the item in it.
    func names(of place: ItemPlace) async throws -> (DomainRecord, RunningDomain, [String]) {
        try await ready()
        for (name, known) in places {
            guard case .running(let record, let domain) = known else { continue }
            // Where it is mounted, and where it would be: its items have their paths without a mount too.
            for path in [mountedPath(of: record), mountPath(of: name)].compactMap({ $0 }).flatMap(Self.forms) {
                if place.path == path { return (record, domain, []) }
                if place.path.hasPrefix(path + "/") {
                    let names = place.path.dropFirst(path.utf8.count + 1).split(separator: "/").map(String.init)
                    return (record, domain, names)
                }
            }
        }
        if let colon = place.text.firstIndex(of: ":"), colon != place.text.startIndex {
            let name = String(place.text[..<colon])
            if places[name] != nil || !name.contains("/") {
                var names: [String] = []
                for part in place.text[place.text.index(after: colon)...].split(separator: "/") where part != "." {
                    if part == ".." { _ = names.popLast() } else { names.append(String(part)) }
                }
                let domain = try await domain(name)
                // It runs, so it is there.
                if let record = places[name]?.record { return (record, domain, names) }
            }
        }
        throw DomainFailure("\(place.text) is in no domain; 'purvey domains' lists them", .noSuchItem)
    }

    /// A path as it is written, and with its folder's links followed.
    private static func forms(_ path: String) -> [String] {
        guard let slash = path.lastIndex(of: "/"), let resolved = realpath(String(path[..<slash]), nil) else {
            return [path]
        }
        defer { free(resolved) }
        let real = String(cString: resolved) + path[slash...]
        return real == path ? [path] : [path, real]
    }
}
