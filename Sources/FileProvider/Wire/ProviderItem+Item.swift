import Foundation
import UniformTypeIdentifiers

extension ProviderItem {
    /// What a provider's item says, each member asked once. Values that no item can have, or that are too much, are left out, as if
    /// the provider had not said them: nothing that comes of it can trap whoever reckons with it, and an item that says too much is
    /// there all the same. Only of its identifiers nothing can be left out (``init(usable:)``).
    package init(_ item: any NSFileProviderItem) {
        let identifier = item.itemIdentifier
        let type = item.contentType
        self.init(
            identifier: identifier.rawValue, parent: item.parentItemIdentifier.rawValue,
            filename: Self.beginning(of: item.filename), kind: Self.kind(of: identifier, type))
        contentType = Self.text(type?.identifier) ?? ""
        capabilities = item.capabilities?.rawValue ?? NSFileProviderItemCapabilities.allowsAll.rawValue
        size = Self.size(of: item)
        childCount = Self.count(item.childItemCount ?? nil).flatMap { Int(exactly: $0) }
        created = Self.seconds(item.creationDate ?? nil)
        modified = Self.seconds(item.contentModificationDate ?? nil)
        lastUsed = Self.seconds(item.lastUsedDate ?? nil)
        if let version = item.itemVersion {
            contentVersion = Self.version(version.contentVersion)
            metadataVersion = Self.version(version.metadataVersion)
        } else {
            contentVersion = Self.version((item.versionIdentifier ?? nil) ?? Data())
        }
        favoriteRank = (item.favoriteRank ?? nil)?.uint64Value
        if let given = item.tagData ?? nil, given.count <= Self.mostBytes { tagData = Array(given) }
        fileSystemFlags = item.fileSystemFlags?.rawValue
        if let given = item.symlinkTargetPath ?? nil { linkTarget = Self.text(given) }
        if let given = item.userInfo ?? nil { userInfo = Self.userInfo(given) }
        flags = Self.flags(of: item)
        if kind == .file, contentVersion.isEmpty {
            flags.insert(.lacksVersion)
            contentVersion = Self.version(ofSize: size, modified: modified)
        }
        if let given = item.extendedAttributes {
            if Self.size(of: given) > Self.mostBytes {
                flags.insert(.lacksAttributes)
            } else {
                extendedAttributes = given.mapValues { Array($0) }
            }
        }
        if let given = item.uploadingError ?? nil { uploadingError = ProviderFailure(given) }
    }

    /// What a provider's item says; `nil` where it has no identifier that can be told to anybody.
    init?(usable item: any NSFileProviderItem) {
        self.init(item)
        guard fault == nil else { return nil }
    }

    /// A name is made fit for a file later; here it is only bounded.
    static func beginning(of name: String) -> String {
        guard name.utf8.count > longestText else { return name }
        var count = 0
        return String(
            name.prefix { character in
                count += character.utf8.count
                return count <= longestText
            })
    }

    /// `nil` for a text of which a part would mean something else.
    private static func text(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count > longestText ? nil : $0 }
    }

    /// Bytes; `nil` for what is no size.
    static func size(of item: any NSFileProviderItem) -> Int64? { count(item.documentSize ?? nil) }

    /// What has no form here is left out, and all of it where it is too much.
    static func userInfo(_ given: [AnyHashable: Any]) -> [String: UserInfoValue] {
        var values: [String: UserInfoValue] = [:]
        for case (let key as String, let value) in given {
            switch value {
            case let text as String: values[key] = .text(text)
            case let number as NSNumber: values[key] = .number(number.doubleValue)
            case let date as Date: values[key] = seconds(date).map { .number($0) }
            default: break
            }
        }
        return size(of: values) > longestUserInfo ? [:] : values
    }

    private static func flags(of item: any NSFileProviderItem) -> Flags {
        var flags: Flags = []
        // A provider that does not say whether an item was uploaded has no other state for it.
        if item.isUploaded ?? true { flags.insert(.uploaded) }
        if item.isTrashed ?? false { flags.insert(.trashed) }
        if item.isUploading ?? false { flags.insert(.uploading) }
        if item.isDownloaded ?? false { flags.insert(.downloaded) }
        if item.isDownloading ?? false { flags.insert(.downloading) }
        if item.isMostRecentVersionDownloaded ?? false { flags.insert(.mostRecentVersionDownloaded) }
        if item.isShared ?? false { flags.insert(.shared) }
        return flags
    }

    private static func kind(of identifier: NSFileProviderItemIdentifier, _ type: UTType?) -> Kind {
        switch identifier {
        case .rootContainer, .trashContainer, .workingSet: .folder
        default: type.map { kind(of: $0) } ?? .file
        }
    }

    private static func kind(of type: UTType) -> Kind {
        // Most are these, and conformance is dear.
        if type == .folder { return .folder }
        if type == .data || type == .item { return .file }
        if type.conforms(to: .directory) { return .folder }
        return type.conforms(to: .symbolicLink) ? .symbolicLink : .file
    }

    /// Integers below this are all numbers of type `Double` too, no two of them the same one.
    private static let exactLimit: UInt64 = 1 << 53

    /// A number that counts something.
    static func count(_ number: NSNumber?) -> Int64? {
        guard let number else { return nil }
        // The usual case, without the two objects that the comparison below makes.
        let (whole, real) = (number.int64Value, number.doubleValue)
        if whole.magnitude < exactLimit, Double(whole) == real { return whole >= 0 ? whole : nil }
        if let count = Int64(exactly: number) { return count >= 0 ? count : nil }
        // A fraction, or beyond what fits: `nil` for the latter, and for what is no number.
        let count = real.rounded(.down)
        return count >= 0 ? Int64(exactly: count) : nil
    }

    /// The farthest moments that are taken for dates, in seconds: some thirty thousand years away.
    private static let farthest = 1e12

    static func seconds(_ date: Date?) -> Double? {
        guard let seconds = date?.timeIntervalSince1970, abs(seconds) <= farthest else { return nil }
        return seconds
    }

    /// As many bytes as a version may have.
    private static let versionLimit = 1000

    /// A version that is too long still differs from others: its end is replaced by a number made from all of it.
    private static func version(_ data: Data) -> [UInt8] {
        guard data.count > versionLimit else { return data.withUnsafeBytes { Array($0) } }
        let digest = Digest(data).bytes
        return data.prefix(versionLimit - digest.count) + digest
    }
    /// Returns the version of a file whose provider gives none: its size and date, or nothing where it has neither.
    private static func version(ofSize size: Int64?, modified: Double?) -> [UInt8] {
        guard size != nil || modified != nil else { return [] }
        return Array("\(size.map { "\($0)" } ?? "-") \(modified.map { "\($0)" } ?? "-")".utf8)
    }
}
