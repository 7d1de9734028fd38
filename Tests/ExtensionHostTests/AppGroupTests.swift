import AppExtension
import ExtensionHost
import FileCoordination
import Foundation
import Glibc
import LinuxSystem
import Testing

/// Directories and values that a program and its extensions share because their property lists declare the same
/// group.
@Suite struct AppGroupTests {
    private static let group = "group.org.example.shared"

    /// Returns the property list of an extension.
    private static func list(_ identifier: String, groups: [String]) -> [String: Any] {
        var list = ExtensionFixture.propertyList
        list["CFBundleIdentifier"] = identifier
        if !groups.isEmpty { list[AppGroup.listKey] = groups }
        return list
    }

    private static func start(
        _ place: ExtensionFixture, _ identifier: String = "org.example.unruly", groups: [String] = [group]
    ) throws -> Unruly {
        try place.start(list(identifier, groups: groups), product: "BookmarkExtension")
    }

    @Test func extensionsOfOneGroupHaveOneFolderAndTheSameValues() throws {
        try ExtensionFixture.run { place in
            let first = try Self.start(place)
            let second = try Self.start(place, "org.example.second")
            defer { for process in [first, second] { process.end() } }
            let folder = place.data + "/groups/" + Self.group
            for process in [first, second] { #expect(process.tell("group \(Self.group)") == folder) }
            #expect(first.tell("write \(folder)/a.txt text") == "done")
            #expect(second.tell("read \(folder)/a.txt") == "text")
            #expect(second.tell("coordinated-append \(folder)/a.txt") == "done")
            #expect(first.tell("coordinated-read \(folder)/a.txt") == "text+")
            // Each process sees the value that the other has set last, without a notification.
            #expect(first.tell("group-set \(Self.group) key one") == "set")
            #expect(second.tell("group-get \(Self.group) key") == "one")
            #expect(second.tell("group-set \(Self.group) key two") == "set")
            #expect(first.tell("group-get \(Self.group) key") == "two")
        }
    }

    @Test func bundlesThatDoNotDeclareTheGroupHaveNoAccess() throws {
        try ExtensionFixture.run { place in
            let member = try Self.start(place)
            let other = try Self.start(place, "org.example.other", groups: ["group.b"])
            defer { for process in [member, other] { process.end() } }
            let folder = place.data + "/groups/" + Self.group
            #expect(member.tell("write \(folder)/a.txt text") == "done")
            #expect(member.tell("group-set \(Self.group) key value") == "set")
            #expect(other.tell("group \(Self.group)") == "none")
            #expect(other.tell("group-get \(Self.group) key") == "none")
            #expect(other.tell("read \(folder)/a.txt")?.hasPrefix("error") == true)
            #expect(other.tell("list \(place.data)/groups")?.hasPrefix("error") == true)
            #expect(other.tell("write \(folder)/b.txt text")?.hasPrefix("error") == true)
        }
    }

    @Test func aProgramSharesWithItsExtensionWhatItsOwnListDeclares() throws {
        try ExtensionFixture.run { place in
            let member = try Self.start(place)
            defer { member.end() }
            let folder = place.data + "/groups/" + Self.group
            #expect(member.tell("group-set \(Self.group) key value") == "set")
            let app = try Program(place, "org.example.app", groups: [Self.group])
            #expect(app.tell("group \(Self.group)") == folder)
            #expect(app.tell("group-get \(Self.group) key") == "value")
            #expect(app.tell("group-set \(Self.group) key other") == "set")
            #expect(member.tell("group-get \(Self.group) key") == "other")
            try app.end()
            let stranger = try Program(place, "org.example.stranger", groups: [])
            #expect(stranger.tell("group \(Self.group)") == "none")
            #expect(stranger.tell("group-get \(Self.group) key") == "none")
            try stranger.end()
        }
    }

    @Test func anExtensionsOwnGroupFilesMoveToTheSharedGroup() throws {
        try ExtensionFixture.run { place in
            let old = place.data + "/containers/org.example.unruly/Library/purvey/groups/" + Self.group
            try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
            try Data("kept".utf8).write(to: URL(fileURLWithPath: old + "/a.txt"))
            let process = try Self.start(place)
            defer { process.end() }
            #expect(process.tell("read \(place.data)/groups/\(Self.group)/a.txt") == "kept")
            #expect((try? FileStatus.of(old)) == nil)
        }
    }

    @Test func anExtensionGetsNoFolderByALinkInItsContainer() throws {
        try ExtensionFixture.run { place in
            let old = place.data + "/containers/org.example.unruly/Library/purvey/groups"
            try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: place.root + "/secret", withIntermediateDirectories: true)
            symlink(place.root + "/secret", old + "/" + Self.group)
            let process = try Self.start(place)
            defer { process.end() }
            #expect(try FileStatus.of(place.data + "/groups/" + Self.group, followingLinks: false).kind == .directory)
        }
    }

    @Test func groupsThatCannotBeFoldersAreFaults() throws {
        try ExtensionFixture.run { place in
            try place.write(Self.list("org.example.unruly", groups: ["../x", "group.a"]))
            #expect(ExtensionInspection(path: place.appex).faults.contains { $0.contains("../x") })
            var list = ExtensionFixture.propertyList
            list[AppGroup.listKey] = "group.a"
            try place.write(list)
            #expect(ExtensionInspection(path: place.appex).faults == ["\(AppGroup.listKey) is not an array of texts"])
        }
    }

    /// The program runs, and has none of the groups whose names lead out of the groups' directory.
    @Test func aProgramThatDeclaresUnsafeGroupNamesHasNone() throws {
        try ExtensionFixture.run { place in
            try place.write(product: "BookmarkExtension")
            let long = "group." + String(repeating: "x", count: 300)
            let names = ["../\(Self.group)", "..", "", "a/b", long, Self.group]
            let program = try Program(place, "org.example.app", groups: names)
            for name in names.dropLast() where !name.isEmpty {
                #expect(program.tell("group \(name)") == "none", "\(name)")
                #expect(program.tell("group-get \(name) key") == "none", "\(name)")
            }
            #expect(program.tell("group \(Self.group)") == place.data + "/groups/" + Self.group)
            try program.end()
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.data + "/groups") == [Self.group])
        }
    }

    @Test func theGroupOfAProvidersDocumentsIsDeclaredByNamingIt() throws {
        try ExtensionFixture.run { place in
            var list = ExtensionFixture.propertyList
            var described = try #require(list["NSExtension"] as? [String: Any])
            described[AppGroup.documentKey] = "group.documents"
            list["NSExtension"] = described
            list[AppGroup.listKey] = ["group.a", "group.documents"]
            try place.write(list)
            #expect(ExtensionInspection(path: place.appex).bundle?.groups == ["group.a", "group.documents"])
        }
    }
}

/// An unconfined program of the user with a bundle: `BookmarkExtension` again.
private struct Program {
    private let program: ChildProgram
    private let socket: FileDescriptor

    init(_ place: ExtensionFixture, _ identifier: String, groups: [String]) throws {
        let folder = place.root + "/" + identifier + ".app"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: place.appex + "/Unruly", toPath: folder + "/Unruly")
        try PropertyListSerialization.data(
            fromPropertyList: [
                "CFBundleIdentifier": identifier, "CFBundleExecutable": "Unruly", AppGroup.listKey: groups,
            ] as [String: Any], format: .xml, options: 0
        ).write(to: URL(fileURLWithPath: folder + "/Info.plist"))
        let (ours, theirs) = try SequencedPacketSocket.pair()
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = place.root
        let variables = environment.map { "\($0.key)=\($0.value)" }
        program = try Self.start(folder + "/Unruly", variables, theirs.descriptor)
        socket = ours.descriptor
    }

    /// Starts the program. Retries while a fork of another test has the copy open for writing.
    private static func start(
        _ path: String, _ environment: [String], _ socket: FileDescriptor
    ) throws(Errno) -> ChildProgram {
        var tries = 5_000
        while true {
            do throws(Errno) {
                return try ChildProgram.start(
                    path, arguments: [], environment: environment, descriptors: [nil, nil, nil, socket])
            } catch {
                tries -= 1
                guard error.rawValue == ETXTBSY, tries > 0 else { throw error }
                usleep(20_000)
            }
        }
    }

    func tell(_ deed: String) -> String? { Unruly.tell(deed, over: socket) }

    func end() throws {
        shutdown(socket.rawValue, CInt(SHUT_RDWR))
        _ = try program.wait()
    }
}
