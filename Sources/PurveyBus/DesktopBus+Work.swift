import Conduit
import DomainMessages

/// Implements the methods of the bus interfaces.
extension DesktopBus {
    func states(of paths: [String]) async throws(BusError) -> BusValue {
        var places: [ItemPlace] = []
        /// The errors of the paths that denote no place, by the paths' indices in `paths`.
        var faults: [Int: BusError] = [:]
        for (index, path) in paths.enumerated() {
            do throws(BusError) {
                places.append(try BusPlace.place(path))
            } catch {
                faults[index] = error
            }
        }
        var known = try await ask(ItemStatesCall(places: places)).standings[...]
        let states = paths.indices.map { index in
            if let fault = faults[index] {
                return BusValue.properties([("state", .string("invalid")), ("error", .string(fault.message))])
            }
            return known.popFirst()?.properties ?? .properties([("state", .string("unknown"))])
        }
        return .tuple([.array(of: "a{sv}", states)])
    }

    /// Makes a call for each path, one after the other. After a failure, continues with the other paths.
    func each<C: Conduit.Call>(_ paths: [String], _ request: (ItemPlace) -> C) async throws(BusError) -> BusValue {
        var errors: [BusError] = []
        for path in paths {
            do throws(BusError) {
                _ = try await ask(request(try BusPlace.place(path)))
            } catch {
                errors.append(error)
                // The caller has left the bus.
                if Task.isCancelled { break }
            }
        }
        if let error = BusError(errors) { throw error }
        return .tuple([])
    }

    /// Returns the names of the domains that contain the paths.
    func domains(of paths: [String]) async throws(BusError) -> Set<String> {
        var places: [ItemPlace] = []
        for path in paths { places.append(try BusPlace.place(path)) }
        var names: Set<String> = []
        for standing in try await ask(ItemStatesCall(places: places)).standings {
            guard let domain = standing.domain else {
                throw BusError(.invalidPath, "\(standing.path) is in no domain that runs")
            }
            names.insert(domain)
        }
        return names
    }

    func retry(_ domains: Set<String>) async throws(BusError) -> BusValue {
        var errors: [BusError] = []
        for name in domains.sorted() {
            do throws(BusError) {
                let domain = try await ask(RetryDomainCall(name: name))
                if let fault = domain.fault { errors.append(BusError(.failed, "\(name): \(fault)")) }
            } catch {
                errors.append(error)
            }
        }
        if let error = BusError(errors) { throw error }
        return .tuple([])
    }

    func ask<C: Conduit.Call>(_ request: C) async throws(BusError) -> C.Reply {
        do throws(ConduitError) {
            return try await daemon.call(request)
        } catch {
            throw BusError(error)
        }
    }
}
