import Conduit
import FileProvider
import FileProviderEngine
import Glibc

/// The calls about domains, as the daemon's table has them.
extension DomainService {
    nonisolated func addCalls(to service: inout Service) {
        service.on(ListDomainsCall.self) { _, call in
            call.answer { ListDomainsCall.Reply(domains: try await self.descriptions()) }
        }
        service.on(AddDomainCall.self) { request, call in call.answer { try await self.add(request) } }
        service.on(RemoveDomainCall.self) { request, call in call.answer { try await self.remove(request) } }
        service.on(DomainsStatusCall.self) { _, call in
            call.answer { DomainsStatusCall.Reply(processID: getpid(), domains: try await self.activities()) }
        }
        service.on(RetryDomainCall.self) { request, call in call.answer { try await self.retry(request.name) } }
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
    }

    private func activities() async throws -> [DomainActivity] {
        var activities: [DomainActivity] = []
        for description in try await descriptions() {
            var activity = DomainActivity(domain: description)
            if case .running(_, let domain) = places[description.name] { await Self.fill(&activity, domain) }
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
            activity.faults += [status.failure?.message, status.complaint].compactMap { $0 }
            let edits = try await domain.engine.editStatus()
            activity.uploadsInFlight = edits.items.count { $0.isUnderWay }
            activity.uploadsWaiting = edits.items.count - activity.uploadsInFlight
            let failures = edits.items.compactMap { item in item.failure.map { "\(item.name): \($0.message)" } }
            activity.faults += failures.prefix(mostFaults)
            if failures.count > mostFaults {
                activity.faults.append("and \(failures.count - mostFaults) more that could not be uploaded")
            }
        } catch {
            activity.faults.append("\(DomainFailure(error))")
        }
    }

    /// What a person means with a path or with `DOMAIN:path`.
    func place(_ place: ItemPlace) async throws -> DomainItem {
        try await ready()
        for (name, known) in places {
            guard case .running(let record, let domain) = known else { continue }
            // Where it is mounted, and where it would be: its items have their paths without a mount too.
            for path in [mountedPath(of: record), mountPath(of: name)].compactMap({ $0 }).flatMap(Self.forms) {
                if place.path == path { return try await DomainItem.find([], in: domain) }
                if place.path.hasPrefix(path + "/") {
                    let names = place.path.dropFirst(path.utf8.count + 1).split(separator: "/").map(String.init)
                    return try await DomainItem.find(names, in: domain)
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
                return try await DomainItem.find(names, in: try await domain(name))
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
