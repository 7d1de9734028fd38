import AppExtension
import FileProvider
import Foundation
import Glibc
import LinuxSystem

/// A domain that a provider's process is started for.
package struct ProviderDomain: Sendable, Equatable {
    /// The identifier that the provider knows it by; empty for the default domain.
    package var identifier: String
    /// What people call it.
    package var displayName: String
    /// The folder that a person handed to the domain, with everything in it; `nil` where there is none.
    package var path: String?
    /// Where in the provider's document storage the domain's documents lie; `nil` is a folder that is named like the identifier.
    package var storage: String?
    /// What a program keeps with the domain: a property list.
    package var userInfo: [UInt8]?

    package init(
        identifier: String, displayName: String, path: String? = nil, storage: String? = nil,
        userInfo: [UInt8]? = nil
    ) {
        self.identifier = identifier
        self.displayName = displayName
        self.path = path
        self.storage = storage
        self.userInfo = userInfo
    }

    /// The domain's own folder's name: the identifier, with everything that has a meaning in a path written otherwise.
    var folderName: String {
        if identifier.isEmpty { return "default" }
        var name = ""
        for byte in identifier.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where !name.isEmpty: name += "."
            default: name += "%" + String(byte, radix: 16, uppercase: true)
            }
        }
        guard name.utf8.count > 200 else { return name }
        // Two that begin alike are still two.
        let sum = identifier.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return name.prefix(180) + "%" + String(sum, radix: 16, uppercase: true)
    }

    /// The folder in a container that all of the provider's documents are in.
    package static let storageFolder = "File Provider Storage"

    /// Where the provider keeps its documents.
    static func storage(in container: Container) -> String { container.path + "/" + storageFolder }

    /// Where the provider of an extension keeps its documents, those of all its domains.
    ///
    /// - Parameter data: the folder of what Purvey keeps for this user.
    package static func storage(of extensionIdentifier: String, data: String) -> String {
        Container.path(of: extensionIdentifier, data: data) + "/" + storageFolder
    }

    /// The folder of all extensions' containers.
    ///
    /// - Parameter data: the folder of what Purvey keeps for this user.
    package static func containers(data: String) -> String { Container.containers(data: data) }

    /// Where beneath that this domain's documents are.
    package var documentFolder: String { storage.flatMap(Self.relative) ?? folderName }

    /// The folder in a container that what providers keep of their domains for themselves is in.
    static let stateFolder = "File Provider State"

    /// Where the provider keeps what it knows of this domain.
    func state(in container: Container) -> String { container.path + "/" + Self.stateFolder + "/" + folderName }

    /// Where files on their way are put.
    func temporary(in container: Container) -> String { container.temporary + "/domain-" + folderName }

    /// A path that stays beneath where it starts; `nil` for any other.
    private static func relative(_ path: String) -> String? {
        let names = path.pathNames
        guard !names.isEmpty, !names.contains(".."), !names.contains(".") else { return nil }
        return names.joined(separator: "/")
    }
}

/// A folder that cannot be handed to a provider.
package struct HandedFolderFault: Error, CustomStringConvertible {
    package let description: String
}

extension ProviderDomain {
    /// The folder that was handed over, with no symbolic link in its path. Blocks on the file system.
    ///
    /// - Parameter kept: folders that no provider may reach, such as the one of what Purvey keeps: neither is the folder within
    ///   one of them, nor one of them within the folder.
    /// - Throws: ``HandedFolderFault`` when there is no such folder, or none that a provider may have, as one of a mounted domain.
    package func handedFolder(apartFrom kept: [String]) throws(HandedFolderFault) -> String? {
        guard let path else { return nil }
        guard path.hasPrefix("/") else { throw HandedFolderFault(description: "\(path) is not an absolute path") }
        guard let folder = Self.canonical(path) else {
            throw HandedFolderFault(description: "\(path): \(Errno.current)")
        }
        guard (try? FileStatus.of(folder))?.kind == .directory else {
            throw HandedFolderFault(description: "\(path) is not a folder")
        }
        // Two domains, each over the other, would wait for each other.
        if let mount = try? MountTable.current().mount(of: folder), mount.type == "fuse.\(Self.mountSubtype)" {
            throw HandedFolderFault(
                description: "\(path) cannot be handed to a provider, because it is in a mounted domain, \(mount.point)"
            )
        }
        for other in kept.map({ Self.canonical($0) ?? $0 }) where Self.overlap(folder, other) {
            throw HandedFolderFault(
                description: "\(path) cannot be handed to a provider, because \(other) is not for providers")
        }
        return folder
    }

    /// The kind of file system that mounted domains are, as `/proc/mounts` shows it after "fuse.".
    package static let mountSubtype = "purvey"

    private static func overlap(_ path: String, _ other: String) -> Bool {
        if isWithin(path, other) || isWithin(other, path) { return true }
        // The same folders may be seen in several places; one that is not there yet is not.
        guard let folder = try? FileDescriptor.open(path, [.pathOnly, .directory]),
            let other = try? FileDescriptor.open(other, [.pathOnly, .directory])
        else { return false }
        return (try? folder.overlaps(other)) ?? true
    }

    private static func isWithin(_ path: String, _ folder: String) -> Bool {
        path.pathNames(beneath: folder) != nil
    }

    static func canonical(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
