import FileProviderWire
import Foundation
import ItemValues
import UniformTypeIdentifiers

extension ProviderItem {
    /// Reads each member of a provider's item once. Values that are invalid or exceed a limit are left out, as if the
    /// provider had not reported them. Therefore later arithmetic cannot trap, and one such value does not make the
    /// whole item unusable. Identifiers cannot be left out; ``init(usable:)`` checks them.
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
        if let given = item.uploadingError ?? nil { uploadingError = ProviderError(given) }
    }

    /// Reads a provider's item. Returns `nil` if the item exceeds a limit even after invalid values are left out, for
    /// example if its identifier is empty or too long.
    init?(usable item: any NSFileProviderItem) {
        self.init(item)
        guard fault == nil else { return nil }
    }

    /// Returns the name, shortened to the maximum length if necessary. The caller checks later whether a file can have
    /// this name.
    static func beginning(of name: String) -> String {
        guard name.utf8.count > longestText else { return name }
        var count = 0
        return String(
            name.prefix { character in
                count += character.utf8.count
                return count <= longestText
            })
    }

    /// Returns the text, or `nil` if it is too long. A text that is too long is not shortened, because its beginning
    /// alone would have another meaning.
    private static func text(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count > longestText ? nil : $0 }
    }

    /// Returns the size in bytes; `nil` if it is invalid.
    static func size(of item: any NSFileProviderItem) -> Int64? { count(item.documentSize ?? nil) }

    /// Converts user info. Leaves out values of unsuitable types. Returns an empty dictionary if the values exceed the
    /// limit.
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
        // An item counts as uploaded if its provider does not report whether it is.
        if item.isUploaded ?? true { flags.insert(.uploaded) }
        if item.isTrashed ?? false { flags.insert(.trashed) }
        if item.isUploading ?? false { flags.insert(.uploading) }
        if item.isDownloaded ?? false { flags.insert(.downloaded) }
        if item.isDownloading ?? false { flags.insert(.downloading) }
        if item.isMostRecentVersionDownloaded ?? false { flags.insert(.mostRecentVersionDownloaded) }
        if item.isShared ?? false { flags.insert(.shared) }
        if item.isSharedByCurrentUser ?? false { flags.insert(.sharedByCurrentUser) }
        return flags
    }

    private static func kind(of identifier: NSFileProviderItemIdentifier, _ type: UTType?) -> Kind {
        switch identifier {
        case .rootContainer, .trashContainer, .workingSet: .folder
        default: type.map { kind(of: $0) } ?? .file
        }
    }

    private static func kind(of type: UTType) -> Kind {
        // Most items have these types, and conformance checks are slow.
        if type == .folder { return .folder }
        if type == .data || type == .item { return .file }
        if type.conforms(to: .directory) { return .folder }
        return type.conforms(to: .symbolicLink) ? .symbolicLink : .file
    }

    /// The largest integer up to which all integers convert to `Double` without loss.
    private static let exactLimit: UInt64 = 1 << 53

    /// Returns the number as a count; `nil` if it is negative or too large.
    static func count(_ number: NSNumber?) -> Int64? {
        guard let number else { return nil }
        // Usually, this check suffices. Unlike the conversion below, it does not create two objects.
        let (whole, real) = (number.int64Value, number.doubleValue)
        if whole.magnitude < exactLimit, Double(whole) == real { return whole >= 0 ? whole : nil }
        if let count = Int64(exactly: number) { return count >= 0 ? count : nil }
        // The number is a fraction, or does not fit. A fraction is rounded down. The result is `nil` for a number that
        // does not fit, and for NaN.
        let count = real.rounded(.down)
        return count >= 0 ? Int64(exactly: count) : nil
    }

    /// The maximum number of seconds between 1970 and a date, some thirty thousand years. Dates farther away are left
    /// out.
    private static let farthest = 1e12

    static func seconds(_ date: Date?) -> Double? {
        guard let seconds = date?.timeIntervalSince1970, abs(seconds) <= farthest else { return nil }
        return seconds
    }

    /// The maximum number of bytes of a version.
    private static let versionLimit = 1000

    /// Returns the version, shortened to at most ``versionLimit`` bytes. If the version is too long, a hash of the
    /// whole version replaces its end, so that it still differs from other versions.
    private static func version(_ data: Data) -> [UInt8] {
        guard data.count > versionLimit else { return data.withUnsafeBytes { Array($0) } }
        let digest = Digest(data).bytes
        return data.prefix(versionLimit - digest.count) + digest
    }
    /// Returns a version for a file whose provider reports none. The version consists of the file's size and date. It
    /// is empty if neither is known.
    private static func version(ofSize size: Int64?, modified: Double?) -> [UInt8] {
        guard size != nil || modified != nil else { return [] }
        return Array("\(size.map { "\($0)" } ?? "-") \(modified.map { "\($0)" } ?? "-")".utf8)
    }
}
