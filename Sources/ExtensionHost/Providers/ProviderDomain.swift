import AppExtension
import FileProviderWire
import Foundation
import Glibc
import LinuxSystem
import Sandbox

/// A domain for which a provider's process is started.
package struct ProviderDomain: Sendable, Equatable {
    /// The domain's identifier, which the provider has chosen; empty for the default domain.
    package var identifier: String
    /// The name that is shown to the user.
    package var displayName: String
    /// The path of the local directory that the provider serves (``HandedFolder``), with everything in it; `nil` if
    /// there is none.
    package var path: String?
    /// The record of the directory at ``path`` from the time when the user chose it; `nil` if there is no record yet.
    package var handed: HandedFolder?
    /// The path of the domain's documents, relative to the provider's document storage. If it is `nil`, the documents
    /// are in the directory that is named after the domain's identifier.
    package var storage: String?
    /// Data that a program stores with the domain, encoded as a property list.
    package var userInfo: [UInt8]?

    package init(
        identifier: String, displayName: String, path: String? = nil, handed: HandedFolder? = nil,
        storage: String? = nil, userInfo: [UInt8]? = nil
    ) {
        self.identifier = identifier
        self.displayName = displayName
        self.path = path
        self.handed = handed
        self.storage = storage
        self.userInfo = userInfo
    }

    /// The name of the domain's directories: the identifier, in which every character with a meaning in a path is
    /// escaped.
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
        // A hash distinguishes long identifiers that begin with the same characters.
        let sum = identifier.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return name.prefix(180) + "%" + String(sum, radix: 16, uppercase: true)
    }

    /// The name of the directory, in a provider's container, for the documents of all of its domains.
    package static let storageFolder = "File Provider Storage"

    /// Returns the path of a provider's document storage in its container.
    static func storage(in container: Container) -> String { container.path + "/" + storageFolder }

    /// Returns the path of the document storage of the provider with the given extension identifier. It contains the
    /// documents of all of the provider's domains.
    ///
    /// - Parameter data: The directory of Purvey's data for this user.
    package static func storage(of extensionIdentifier: String, data: String) -> String {
        Container.path(of: extensionIdentifier, data: data) + "/" + storageFolder
    }

    /// Returns the path of the directory that contains the containers of all extensions.
    ///
    /// - Parameter data: The directory of Purvey's data for this user.
    package static func containers(data: String) -> String { Container.containers(data: data) }

    /// The path of this domain's documents, relative to the provider's document storage.
    package var documentFolder: String { storage.flatMap(Self.relative) ?? folderName }

    /// The name of the directory, in a provider's container, for the state that the provider stores for its domains.
    static let stateFolder = "File Provider State"

    /// Returns the path of the directory for the state that the provider stores for this domain.
    func state(in container: Container) -> String { container.path + "/" + Self.stateFolder + "/" + folderName }

    /// Returns the path of the directory for this domain's temporary files.
    func temporary(in container: Container) -> String { container.temporary + "/domain-" + folderName }

    /// Returns a normalized relative path. Returns `nil` if the path is absolute, or if it leads out of the directory
    /// to which it is relative.
    private static func relative(_ path: String) -> String? {
        let names = path.pathNames
        guard !names.isEmpty, !names.contains(".."), !names.contains(".") else { return nil }
        return names.joined(separator: "/")
    }
}

extension ProviderDomain {
    /// Returns the local directory that the provider serves, after checking that the directory is still at its path.
    /// Returns `nil` if there is none. Blocks on the file system.
    ///
    /// If the domain has no record of the directory, returns the directory that is at ``path`` now.
    ///
    /// - Parameter kept: Directories that no provider may access, such as Purvey's data. The provider's directory must
    ///   not be within one of them, or contain one of them.
    /// - Throws: ``HandedFolderError`` if the directory does not exist, is not the one that the user chose, or is not
    ///   allowed, for example because it is in a mounted domain.
    package func handedFolder(apartFrom kept: [String]) throws(HandedFolderError) -> HandedFolder? {
        guard let path else { return nil }
        guard path.isAbsolutePath else { throw HandedFolderError(description: "\(path) is not an absolute path") }
        let handed: HandedFolder
        if let known = self.handed {
            handed = known
        } else {
            do throws(Errno) { handed = try HandedFolder(at: path) } catch { throw HandedFolderError(path, error) }
        }
        let folder = try handed.open()
        // Two domains, each of which serves a directory of the other, would wait for each other.
        if let mount = try? MountTable.current().mount(of: handed.path), mount.type == "fuse.\(Self.mountSubtype)" {
            throw HandedFolderError(
                description: "\(path) cannot be handed to a provider, because it is in a mounted domain, \(mount.point)"
            )
        }
        for other in kept.map({ Self.canonical($0) ?? $0 }) where Self.overlap(folder, at: handed.path, other) {
            throw HandedFolderError(
                description: "\(path) cannot be handed to a provider, because \(other) is not for providers")
        }
        return handed
    }

    /// The subtype of the file system of mounted domains. In `/proc/mounts`, the subtype follows "fuse.".
    package static let mountSubtype = "purvey"

    private static func overlap(_ folder: FileDescriptor, at path: String, _ other: String) -> Bool {
        if isWithin(path, other) || isWithin(other, path) { return true }
        // The same directory may be mounted at several places. A directory that does not exist yet cannot overlap.
        guard let other = try? FileDescriptor.open(other, [.pathOnly, .directory]) else { return false }
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

/// The state that the user interface of a domain's provider shares with the provider.
extension ProviderDomain {
    /// Returns the first message to the process of the user interface. It contains the same paths as the first message
    /// to the provider's process. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - provider: The identifier of the provider's extension.
    ///   - data: The directory of Purvey's data for this user.
    package func greeting(
        of interface: ExtensionBundle, of provider: String, apartFrom kept: [String], data: String
    ) throws -> BeginProviderCall {
        let data = Self.canonical(data) ?? data
        return BeginProviderCall(
            version: ProviderWire.version, domain: identifier, displayName: displayName,
            storage: Self.storage(of: provider, data: data), domainFolder: documentFolder,
            temporary: try Container(of: interface, data: data).temporary,
            path: try handedFolder(apartFrom: kept + [data])?.path, answerTime: Double(interface.timeLimit),
            transferTime: Double(interface.timeLimit), bundleIdentifier: provider, userInfo: userInfo)
    }

    /// Returns the directories that the process of the user interface may access: the local directory that the provider
    /// serves, if any, and the domain's directory in the provider's document storage. If the provider has replaced the
    /// domain's directory by a symbolic link, the link is not followed. Blocks on the file system.
    func places(
        ofInterfaceOf provider: String, apartFrom kept: [String], data: String
    ) throws -> [(path: String, access: Confinement.Access)] {
        let data = Self.canonical(data) ?? data
        let documents = Self.storage(of: provider, data: data) + "/" + documentFolder
        var places: [(path: String, access: Confinement.Access)] = [(documents, [.read, .write, .withoutLinks])]
        if let handed = try handedFolder(apartFrom: kept + [data]) { places.append(handed.place) }
        return places
    }
}

extension ProviderDomain {
    /// Removes the provider's data for this domain, which was removed: the documents, the state, and the temporary
    /// files. The provider's process must have ended. Blocks on the file system. Symbolic links are not followed.
    ///
    /// - Parameters:
    ///   - extensionIdentifier: The identifier of the provider's extension, which may have been removed already.
    ///   - data: The directory of Purvey's data for this user.
    package func removeDocuments(of extensionIdentifier: String, data: String) throws(Errno) {
        guard InfoPropertyList.isIdentifier(extensionIdentifier) else { throw .invalidArgument }
        let container = try FileDescriptor.open(
            data + "/containers/" + extensionIdentifier, [.readOnly, .directory, .noFollow])
        for (folder, path) in [
            (Self.storageFolder, documentFolder), (Self.stateFolder, folderName), ("tmp", "domain-" + folderName),
        ] {
            let names = ([folder] + path.pathNames).compactMap(FileName.init)
            var parent: FileDescriptor? = container
            for name in names.dropLast() { parent = try? parent?.open(entry: name, [.readOnly, .directory]) }
            if let parent, let name = names.last { try TreeRemover.remove(name, in: parent) }
        }
    }
}
