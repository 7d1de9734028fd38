import HTTPTransport
import WebDAVClient

/// A share of a file or directory.
public struct NextcloudShare: Hashable, Sendable {
    /// The kind of a share. Further kinds of the server are represented by their numbers.
    public enum Kind: Hashable, Sendable {
        case user, group, link
        case other(Int)
    }

    /// The identifier of the share.
    public let id: String
    /// The kind.
    public let kind: Kind
    /// The address of a share by link.
    public let link: String?
    /// The display name of the user or group that receives the share.
    public let recipient: String?
    /// The path from the user's root.
    public let path: String
    /// The identifier of the shared file or directory.
    public let fileID: Int64?
    /// The last day on which the share is valid, such as `2026-12-31`.
    public let expiration: String?
    /// Whether the share needs a password.
    public let hasPassword: Bool
    /// The name that the user gave the link.
    public let label: String?

    init?(_ data: OCSValue) {
        guard let id = data["id"].text, let number = data["share_type"].number else { return nil }
        self.id = id
        switch number {
        case 0: kind = .user
        case 1: kind = .group
        case 3: kind = .link
        default: kind = .other(Int(clamping: number))
        }
        link = data["url"].text
        recipient = kind == .link ? nil : data["share_with_displayname"].text ?? data["share_with"].text
        path = data["path"].text ?? ""
        fileID = data["file_source"].number
        expiration = data["expiration"].text
        hasPassword = data["password"].text != nil
        label = data["label"].text
    }
}

extension NextcloudClient {
    private static let shares = "apps/files_sharing/api/v1/shares"

    /// Lists the shares of a file or directory, including those that other users created if the user owns the file or
    /// directory.
    public func shares(of address: HTTPAddress) async throws(DAVError) -> [NextcloudShare] {
        let data = try await ocs(.get, Self.shares, [("path", try path(of: address)), ("reshares", "true")])
        return data.list.compactMap { NextcloudShare($0) }
    }

    /// Creates a link by which a file or directory can be read without an account.
    ///
    /// - Parameter expiration: the last day on which the link is valid, such as `2026-12-31`.
    public func makeLink(
        to address: HTTPAddress, password: String? = nil, expiration: String? = nil, label: String? = nil
    ) async throws(DAVError) -> NextcloudShare {
        var fields = [("path", try path(of: address)), ("shareType", "3")]
        if let password { fields.append(("password", password)) }
        if let expiration { fields.append(("expireDate", expiration)) }
        if let label { fields.append(("label", label)) }
        return try await makeShare(fields)
    }

    /// Shares a file or directory with a user of the server.
    public func share(_ address: HTTPAddress, with user: String) async throws(DAVError) -> NextcloudShare {
        try await makeShare([("path", try path(of: address)), ("shareType", "0"), ("shareWith", user)])
    }

    private func makeShare(_ fields: [(name: String, value: String)]) async throws(DAVError) -> NextcloudShare {
        guard let share = NextcloudShare(try await ocs(.post, Self.shares, fields)) else {
            throw .invalidReply(server.origin, "it has no share")
        }
        return share
    }

    /// Ends a share.
    public func removeShare(_ share: NextcloudShare) async throws(DAVError) {
        _ = try await ocs(.delete, "\(Self.shares)/\(share.id.percentEncoded)")
    }

    private func path(of address: HTTPAddress) throws(DAVError) -> String {
        guard let names = names(of: address) else { throw .notFound(DAVError.name(of: address)) }
        return "/" + names.joined(separator: "/")
    }
}
