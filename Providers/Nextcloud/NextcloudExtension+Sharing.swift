import DAVFileProvider
import FileProvider
import Foundation
import HTTPTransport
import NextcloudClient
import WebDAVClient

/// Performs the actions that reply to the user, about links, shares, pages and versions.
extension NextcloudExtension {
    /// Returns the address of a link by which an item is shared. Creates the link if none exists.
    static func link(to known: DAVKnownItem, _ account: DAVAccount) async throws -> FileProviderActionReply {
        let service = try service(of: account)
        let share = try await account.ask { client throws(DAVError) -> NextcloudShare in
            let nextcloud = try service.nextcloud(client)
            let abilities = try await service.capabilities(nextcloud)
            // A link with a password or an expiration date was created for other recipients, so it is not returned.
            let present = try await nextcloud.shares(of: known.address).first {
                $0.kind == .link && !$0.hasPassword && $0.expiration == nil && $0.link != nil
            }
            if let present { return present }
            guard abilities.hasLinks else {
                throw .forbidden(known.name, reason: "the server does not permit links")
            }
            guard !abilities.linksNeedPassword else {
                throw .forbidden(
                    known.name, reason: "the server requires a password for links; share it in the browser")
            }
            return try await nextcloud.makeLink(to: known.address)
        }
        guard let link = share.link.flatMap({ URL(string: $0) }) else {
            throw DAVSetUpError("The server sent no link.")
        }
        return FileProviderActionReply(link: link)
    }

    /// Shares an item with another user of the server.
    static func share(
        _ known: DAVKnownItem, with user: String, _ account: DAVAccount
    ) async throws -> FileProviderActionReply {
        let service = try service(of: account)
        let name = user.trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty else { throw DAVSetUpError("Enter the name of a user of the server.") }
        let share = try await account.ask { client throws(DAVError) in
            try await service.nextcloud(client).share(known.address, with: name)
        }
        return FileProviderActionReply(lines: ["“\(known.name)” is shared with \(share.recipient ?? name)."])
    }

    /// Returns the server's web page for an item. The address contains no password, because the user signs in on the
    /// page.
    static func page(of known: DAVKnownItem, _ account: DAVAccount) async throws -> FileProviderActionReply {
        guard let number = try await account.identity(of: known) else { throw CocoaError(.featureUnsupported) }
        let address = try account.settings.address.asDirectory.resolving("index.php/f/\(number)")
        guard let link = URL(string: address.description) else { throw CocoaError(.featureUnsupported) }
        return FileProviderActionReply(link: link, opensLink: true)
    }

    /// Lists the versions of a file, the latest first.
    static func versions(of known: DAVKnownItem, _ account: DAVAccount) async throws -> FileProviderActionReply {
        let service = try service(of: account)
        guard let number = known.traits.identity.flatMap({ Int64($0) }) else { throw CocoaError(.featureUnsupported) }
        let (present, versions) = try await account.ask { client throws(DAVError) in
            let present = try await client.entry(at: known.address)
            try require(present, is: number, known)
            return (present, try await service.nextcloud(client).versions(of: number))
        }
        let sorted = versions.sorted { ($0.modified?.seconds ?? 0) > ($1.modified?.seconds ?? 0) }
        return FileProviderActionReply(
            lines: sorted.isEmpty
                ? ["The server has no versions of “\(known.name)”."]
                : sorted.map { line(of: $0, isPresent: $0.modified == present.modified) })
    }

    private static func line(of version: NextcloudVersion, isPresent: Bool) -> String {
        let date = version.modified.map {
            Date(timeIntervalSince1970: TimeInterval($0.seconds)).formatted(.iso8601)
        }
        let parts = [
            date ?? "unknown date", version.size.map { "\($0) bytes" }, version.author, version.label,
            isPresent ? "the present contents" : nil,
        ]
        return parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
