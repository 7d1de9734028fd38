import FileProvider
import Foundation
import ItemValues
import LinuxSystem
import ScriptableService

/// Uploads of contents to the service.
extension ScriptableProvider {
    /// Sends an item's local contents: at once, or in the background if that is enabled.
    func send(_ identifier: String) {
        guard sendsBehind else { return sendNow(identifier) }
        Thread.detachNewThread { [self] in
            willSendBehind(identifier)
            sendNow(identifier)
            signal()
        }
    }

    private func sendNow(_ identifier: String) {
        guard let upload = state.withLock({ $0.uploads[ExactText(identifier)] }) else { return }
        let result = Result { () throws in
            let now = Date().timeIntervalSince1970
            let body = upload.item.kind == .file ? url(of: identifier) : nil
            return try client.item(
                upload.isNew
                    ? .create(upload.item)
                    : .replace(
                        identifier, base: upload.item.version == 0 ? nil : upload.item.version, modified: now),
                sending: body, sent: { report(identifier, $0, of: $1) })
        }
        state.withLock { state in
            guard state.uploads[ExactText(identifier)]?.generation == upload.generation else { return }
            switch result {
            case .success(let item):
                state.uploads[ExactText(identifier)] = nil
                state.told[ExactText(identifier)] = item.version
            // The system finds out by itself which version the service has.
            case .failure(CloudError.outdated): state.uploads[ExactText(identifier)] = nil
            case .failure(let error):
                state.uploads[ExactText(identifier)]?.isUnderWay = false
                state.uploads[ExactText(identifier)]?.error = ServiceClient.error(error)
            }
        }
    }

    private func report(_ identifier: String, _ sent: Int, of total: Int) {
        // A file in the test's directory makes the provider report in huge units.
        let unit = FileManager.default.fileExists(atPath: folder + "/counts-high") ? Int64(1) << 58 : 1
        serviceManager.reportUpload(
            ofItemWithIdentifier: ServiceItem.identifier(identifier), bytesSent: Int64(sent) &* unit,
            of: Int64(total) &* unit)
    }
}

/// Signals in large numbers. A file in the test's directory enables them, and may contain their number.
extension ScriptableProvider {
    private var noise: String { folder + "/signals-often" }
    var isNoisy: Bool { FileManager.default.fileExists(atPath: noise) }

    /// Sends the signals once, and creates another file when all are sent.
    func signalWithoutEnd() {
        let isFirst = state.withLock { state in
            defer { state.hasSignalled = true }
            return !state.hasSignalled
        }
        guard isFirst else { return }
        let (identifier, done) = (domain?.identifier, folder + "/signals-sent")
        let count = (try? String(contentsOfFile: noise, encoding: .utf8)).flatMap { Int($0) } ?? 100_000
        Thread.detachNewThread {
            // Completion handlers on threads of their own would take longer than the signals.
            let backend = NSFileProviderManager.backend
            for number in 0..<count {
                // Some signals are for unknown containers.
                let container: NSFileProviderItemIdentifier =
                    number % 10 == 0 ? NSFileProviderItemIdentifier("nothing \(number)") : .workingSet
                backend.signalEnumerator(container, in: identifier) { _ in }
            }
            _ = FileManager.default.createFile(atPath: done, contents: nil)
        }
    }
}

/// Sign-in. The token is stored in the document storage.
extension ScriptableProvider: FileProviderSigningIn {
    func signIn(withPassword password: String, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            try client.signIn(password)
            completionHandler(nil)
        } catch {
            completionHandler(ServiceClient.error(error))
        }
    }
}
