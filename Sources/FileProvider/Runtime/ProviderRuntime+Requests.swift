import Conduit
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// Requests about items and containers.
extension ProviderRuntime {
    func addQuestions(to service: inout Service) {
        on(ProviderItemCall.self, key: { _ in nil }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try provider.item(request.identifier, engineRequest)
        }
        on(ProviderPageCall.self, key: { "list " + $0.container }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try self.page(request, provider, engineRequest)
        }
        on(ProviderAnchorCall.self, key: { "list " + $0.container }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try self.anchor(request, provider, engineRequest)
        }
        on(ProviderChangesCall.self, key: { "list " + $0.container }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            try self.changes(request, provider, engineRequest)
        }
        addTransfers(to: &service)
        addParts(to: &service)
        addPlaces(to: &service)
        addSigningIn(to: &service)
        addSettingUp(to: &service)
        addThumbnails(to: &service)
        addActions(to: &service)
        addCoordination(to: &service)
        addServices(to: &service)
        addSearching(to: &service)
        addState(to: &service)
    }

    private func page(
        _ request: ProviderPageCall, _ provider: any ServedProvider, _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ProviderPage {
        let first = NSFileProviderPage(NSFileProviderPage.initialPageSortedByName as Data)
        let page = request.page.map { NSFileProviderPage(Data($0)) } ?? first
        return try listing(request.container, provider) { enumerator throws(ProviderError) in
            let result: PageResult = try engineRequest.wait { finish in
                let observer = PageObserver(suggestedSize: request.suggestedSize, finish: finish)
                enumerator.enumerateItems(for: observer, startingAt: page)
            }
            return try result.get()
        }
    }

    private func anchor(
        _ request: ProviderAnchorCall, _ provider: any ServedProvider, _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ProviderAnchor {
        try listing(request.container, provider) { enumerator throws(ProviderError) in
            let anchor: NSFileProviderSyncAnchor? = try engineRequest.wait { finish in
                let requirements: any NSFileProviderEnumerator = enumerator
                requirements.currentSyncAnchor(completionHandler: finish)
            }
            return ProviderAnchor(anchor: anchor.map { [UInt8]($0.rawValue) })
        }
    }

    private func changes(
        _ request: ProviderChangesCall, _ provider: any ServedProvider, _ engineRequest: EngineRequest
    ) throws(ProviderError) -> ProviderChanges {
        try listing(request.container, provider) { enumerator throws(ProviderError) in
            let result: ChangesResult = try engineRequest.wait { finish in
                let observer = ChangesObserver(suggestedSize: request.suggestedSize, finish: finish)
                let requirements: any NSFileProviderEnumerator = enumerator
                requirements.enumerateChanges(for: observer, from: NSFileProviderSyncAnchor(Data(request.anchor)))
            }
            return try result.get()
        }
    }

    /// Calls `body` with a container's enumerator. Drops the enumerator if `body` fails.
    private func listing<Value>(
        _ container: String, _ provider: any ServedProvider,
        _ body: (any NSFileProviderEnumerator) throws(ProviderError) -> Value
    ) throws(ProviderError) -> Value {
        let enumerator = try enumerators.enumerator(of: container, from: provider)
        do throws(ProviderError) {
            return try body(enumerator)
        } catch {
            enumerators.drop(container)
            throw error
        }
    }
}

/// Sign-in with a password.
extension ProviderRuntime {
    func addSigningIn(to service: inout Service) {
        on(ProviderSignInCall.self, key: { _ in "sign in" }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            guard let object = provider.object as? any FileProviderSigningIn else {
                throw ProviderError(.unsupported, message: "the provider takes no password")
            }
            let failure: ProviderError? = try engineRequest.wait { done in
                object.signIn(withPassword: request.password) { error in done(error.map { ProviderError($0) }) }
            }
            if let failure { throw failure }
            return Empty()
        }
    }
}

/// The state that the provider reports for its domain as a whole.
extension ProviderRuntime {
    func addState(to service: inout Service) {
        on(ProviderStateCall.self, key: { _ in nil }, in: &service) { _, provider, _ throws(ProviderError) in
            guard let object = provider.object as? any NSFileProviderDomainState else {
                throw ProviderError(.unsupported, message: "the provider reports no state of its domain")
            }
            // The version is read before the user info. If the state changes in between, the reply has the earlier
            // version. Therefore the engine stores the state again when it receives the new version.
            let version = object.domainVersion.number
            return ProviderDomainState(version: version, userInfo: ProviderItem.userInfo(object.userInfo))
        }
    }
}
