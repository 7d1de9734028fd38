import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import NextcloudClient
import WebDAVClient
import XMLStream

/// The service of a Nextcloud server, which extends WebDAV.
package final class NextcloudService: DAVServiceKind {
    private struct State {
        var server: HTTPAddress?
        var user = ""
        var root = ""
        var capabilities: NextcloudCapabilities?
        /// Whether the capabilities must be requested again, although they are known.
        var isOutdated = false
        var isListening = false
        /// The paths of folders that are encrypted end to end.
        var encrypted: Set<String> = []
    }

    // Leaf lock.
    private let state = Lock(State())
    let batches = NewFileBatches()

    package init() {}

    /// The key of the setting with the user's identifier in addresses, which may differ from the user name for the
    /// sign-in.
    static let userKey = "userid"
    private static let fingerprint = XMLName("http://owncloud.org/ns", "data-fingerprint")
    /// The pause in seconds between two checks while the server sends notices. Checks are still needed, because the
    /// server drops some notices.
    private static let pauseWhileListening = 900

    package var properties: [XMLName] { NextcloudEntry.properties + [Self.fingerprint] }
    package var keepsCookies: Bool { true }
    package var hasDeepTags: Bool { true }
    package var hasTrash: Bool { state.withLock { $0.capabilities?.hasTrash } ?? true }
    package var pollInterval: Int? { state.withLock { $0.isListening } ? Self.pauseWhileListening : nil }

    package var findings: [String] {
        let (known, isListening) = state.withLock { ($0.capabilities, $0.isListening) }
        guard let known else { return [] }
        let push = isListening ? "connected" : known.push == nil ? "the server has none" : "not connected"
        return ["Nextcloud: \(known.versionText)", "Notices of changes (notify_push): \(push)"]
    }

    package func root(_ settings: DAVSettings) throws -> HTTPAddress {
        guard let user = settings.values[Self.userKey] ?? settings.user, !user.isEmpty else {
            throw DAVSetUpError("The domain has no user: sign in.")
        }
        let root = try settings.address.resolving("remote.php/dav/files").appending(user).asDirectory
        state.withLock { ($0.server, $0.user, $0.root) = (settings.address, user, root.path) }
        return root
    }

    /// Returns the client for the interfaces that Nextcloud has beyond WebDAV.
    func nextcloud(_ files: DAVClient) throws(DAVError) -> NextcloudClient {
        let (server, user) = state.withLock { ($0.server, $0.user) }
        guard let server else { throw .transport(.closed) }
        return NextcloudClient(server: server, user: user, files: files)
    }

    /// Returns the server's capabilities. They are requested once.
    func capabilities(_ client: NextcloudClient) async throws(DAVError) -> NextcloudCapabilities {
        if let known = state.withLock({ $0.isOutdated ? nil : $0.capabilities }) { return known }
        let found = try await client.capabilities()
        state.withLock { ($0.capabilities, $0.isOutdated) = (found, false) }
        return found
    }

    // MARK: Items

    package func traits(of entry: DAVEntry) -> DAVTraits {
        let found = NextcloudEntry(entry)
        var traits = DAVTraits()
        traits.identity = found.fileID.map { String($0) }
        traits.folderSize = entry.isDirectory ? found.size.map { Int64($0) } : nil
        traits.capabilities = capabilities(of: found).rawValue
        traits.favoriteRank = found.isFavorite ? 1 : nil
        traits.tagData = Self.tagData(found.tags)
        traits.isShared = found.permissions?.contains(.isShared) == true || !found.shareTypes.isEmpty
        if !found.mountType.isEmpty { traits.details["mount"] = found.mountType }
        if found.isMountRoot { traits.details["isMountRoot"] = "true" }
        if entry.isDirectory, isEncrypted(found) { traits.details["isEncrypted"] = "true" }
        if found.permissions?.contains(.share) == true, traits.details["isEncrypted"] == nil {
            traits.details["isShareable"] = "true"
        }
        if found.hasPreview { traits.details["hasPreview"] = "true" }
        if let owner = found.ownerName ?? found.ownerID { traits.details["owner"] = owner }
        return traits
    }

    /// Returns the operations that the user may perform, according to the permissions that the server reports.
    private func capabilities(of entry: NextcloudEntry) -> NSFileProviderItemCapabilities {
        let isFolder = entry.entry.isDirectory
        var can: NSFileProviderItemCapabilities = [.allowsReading]
        // This client cannot encrypt, so other clients could not read what it writes into an encrypted folder.
        guard !isEncrypted(entry) else { return can }
        let rights =
            entry.permissions ?? [.write, .rename, .move, .delete, .createFiles, .createDirectories]
        if isFolder ? !rights.isDisjoint(with: [.createFiles, .createDirectories]) : rights.contains(.write) {
            can.insert(.allowsWriting)
        }
        guard entry.entry.address.path != state.withLock({ $0.root }) else { return can }
        if rights.contains(.rename) { can.insert(.allowsRenaming) }
        if rights.contains(.move) { can.insert(.allowsReparenting) }
        // Removing the top directory of a share would end the share.
        if rights.contains(.delete), !entry.isMountRoot {
            can.insert(.allowsDeleting)
            if hasTrash { can.insert(.allowsTrashing) }
        }
        if !isFolder { can.insert(.allowsEvicting) }
        return can
    }

    package func recall(_ folder: DAVKnownItem) {
        guard folder.traits.details["isEncrypted"] != nil else { return }
        state.withLock { _ = $0.encrypted.insert(folder.address.path) }
    }

    /// Whether an entry is a folder that is encrypted end to end, or lies in such a folder. The server only reports
    /// this for the folder itself.
    private func isEncrypted(_ entry: NextcloudEntry) -> Bool {
        let path = entry.entry.address.path
        return state.withLock { state in
            if entry.isEncrypted {
                state.encrypted.insert(path)
                return true
            }
            if state.encrypted.contains(where: { path.hasPrefix($0) && path != $0 }) { return true }
            state.encrypted.remove(path)
            return false
        }
    }

    package func dataMark(of root: DAVEntry) -> String? { root.property(Self.fingerprint).map { $0.text } }

    package func find(
        identity: String, root: HTTPAddress, with client: DAVClient
    ) async throws(DAVError) -> HTTPAddress? {
        guard let number = Int64(identity) else { return nil }
        return try await nextcloud(client).entry(withID: number)?.entry.address
    }

    // MARK: Contents

    package func send(_ upload: DAVFileUpload, with client: DAVClient) async throws(DAVError) -> DAVUpload {
        var plain = client
        plain.onProgress = nil
        let nextcloud = try nextcloud(plain)
        guard upload.count >= NextcloudClient.chunkedSize, Self.protectsChunks(of: upload),
            try await capabilities(nextcloud).hasChunking
        else {
            return try await client.put(
                .file(upload.file, offset: 0, count: upload.count), to: upload.address, if: upload.requirements,
                modified: upload.modified)
        }
        var file = NextcloudFile(
            upload.file, size: upload.count, to: upload.address, if: upload.requirements.resource)
        file.modified = upload.modified
        // The digest is that of the whole contents, because chunks of an earlier upload are reused only for the same
        // contents.
        let digest = try await Self.digest(of: upload)
        file.checksum = "SHA1:\(digest)"
        var rules = NextcloudClient.UploadRules()
        rules.largestChunk = try await capabilities(nextcloud).largestChunk
        let written = try await nextcloud.upload(
            file, contents: digest, rules: rules, onProgress: { sent in client.onProgress?(sent, 0) })
        return DAVUpload(tag: written.tag, hasCreated: false, hasTakenDate: written.hasTakenDate)
    }

    /// Whether the server checks the condition of the upload even if the file is sent in chunks. The request that
    /// assembles the chunks then has this condition. `true` if the upload has neither a condition nor locks.
    private static func protectsChunks(of upload: DAVFileUpload) -> Bool {
        guard upload.requirements.locks.isEmpty else { return false }
        return switch upload.requirements.resource {
        case .any: true
        case .absent: upload.profile.moveWithoutOverwriting == .honoured
        case .tag: upload.profile.replacing == .conditions
        case .present: false
        }
    }

    private static func digest(of upload: DAVFileUpload) async throws(DAVError) -> String {
        do {
            return try await Blocking.run {
                try MessageDigest.hexadecimal(.sha1, of: upload.file, 0..<upload.count)
            }
        } catch let error as HTTPError {
            throw .transport(error)
        } catch {
            throw .transport(.cancelled)
        }
    }

    // MARK: Changes

    package func listen(for account: DAVAccount, _ notice: @escaping @Sendable (DAVNotice) async -> Void) async {
        var pause = Duration.seconds(30)
        while !Task.isCancelled {
            do {
                let (client, push) = try await account.ask(.background) { client throws(DAVError) in
                    let nextcloud = try self.nextcloud(client)
                    return (nextcloud, try await self.capabilities(nextcloud).push)
                }
                guard let push else {
                    // The administrator may install notify_push later.
                    try await Task.sleep(for: .seconds(3_600))
                    state.withLock { $0.isOutdated = true }
                    continue
                }
                for try await heard in client.notices(push) {
                    switch heard {
                    // Changes before the connection were not reported.
                    case .connected:
                        state.withLock { $0.isListening = true }
                        pause = .seconds(30)
                        await notice(.anything)
                    case .files(let numbers): await notice(.items(numbers.map { String($0) }))
                    case .anyFile: await notice(.anything)
                    case .disconnected: await stopListening(notice)
                    }
                }
            } catch {
                // The network is unavailable, or the user is not signed in. Regular checks continue without notices.
            }
            await stopListening(notice)
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(900))
        }
    }

    /// Records that the server sends no notices now, and starts a check at once, because the next regular check may be
    /// far in the future.
    private func stopListening(_ notice: @Sendable (DAVNotice) async -> Void) async {
        let hasListened = state.withLock { state in
            defer { state.isListening = false }
            return state.isListening
        }
        if hasListened { await notice(.anything) }
    }
}
