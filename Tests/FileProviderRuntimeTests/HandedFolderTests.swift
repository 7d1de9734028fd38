import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Folders that are passed to domains, and other folders that replace them at their paths.
@Suite(.ownThreads) struct HandedFolderTests {
    private static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Returns the domain of a folder, as it is stored from the domain's first start on.
    private static func domain(_ path: String) throws -> ProviderDomain {
        var domain = ProviderDomain(identifier: "d", displayName: "D", path: path)
        domain.handed = try domain.handedFolder(apartFrom: [])
        return domain
    }

    private static func fault(_ domain: ProviderDomain) -> HandedFolderError? {
        do throws(HandedFolderError) {
            _ = try domain.handedFolder(apartFrom: [])
            return nil
        } catch {
            return error
        }
    }

    @Test func theFolderIsNotedWhenTheProcessIsStartedFirst() async throws {
        try await ProviderFixture.with { stage in
            #expect(stage.handed.isEmpty)
            _ = try await stage.provider.item("pid")
            #expect(stage.handed.map(\.path) == [stage.folder])
            #expect(stage.handed.first == (try Self.domain(stage.folder)).handed)
        }
    }

    @Test func anotherFolderAtThePathIsNotHandedToTheNextProcess() async throws {
        let options = ProviderProcessOptions(idleTime: .milliseconds(200), answerTime: .seconds(300))
        try await ProviderFixture.with(options: options) { stage in
            _ = try await stage.provider.item("pid")
            #expect(await stage.eventually { await stage.provider.processID == nil })
            let aside = stage.root + "/aside"
            #expect(rename(stage.folder, aside) == 0)
            try Self.makeFolder(stage.folder)
            let failure = await stage.failure { _ = try await stage.provider.item("pid") }
            #expect(failure?.kind == .processEnded)
            #expect(failure?.message.contains("\(stage.folder) is another folder") == true, "\(failure?.message ?? "")")
            #expect(failure?.message.contains("purvey domains remove") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder).isEmpty)
            // The folder itself is handed over again once it is back.
            #expect(rmdir(stage.folder) == 0 && rename(aside, stage.folder) == 0)
            _ = try await stage.provider.item("pid")
            #expect(stage.starts == 2)
        }
    }

    @Test func aLinkInThePlaceOfTheFolderIsNotFollowed() async throws {
        try await ProviderFixture.with { stage in
            // Another domain's folder lies around this one's.
            let inner = stage.folder + "/inner"
            try Self.makeFolder(inner)
            let secret = stage.root + "/secret"
            try Self.makeFolder(secret)
            let domain = try Self.domain(inner)
            #expect(rename(inner, stage.folder + "/moved") == 0)
            // Not even one that leads to the folder itself.
            for target in [secret, stage.folder + "/moved"] {
                try FileManager.default.createSymbolicLink(atPath: inner, withDestinationPath: target)
                let fault = Self.fault(domain)
                #expect(fault?.isOther == true && fault?.description.contains("another folder") == true)
                #expect(unlink(inner) == 0)
            }
            #expect(Self.fault(domain)?.isOther == false)
            #expect(rename(stage.folder + "/moved", inner) == 0)
            #expect(Self.fault(domain) == nil)
        }
    }

    @Test func aLinkOnTheWayToTheFolderIsNotFollowed() async throws {
        try await ProviderFixture.with { stage in
            let outer = stage.folder + "/outer"
            try Self.makeFolder(outer + "/inner")
            try Self.makeFolder(stage.root + "/elsewhere/inner")
            let domain = try Self.domain(outer + "/inner")
            #expect(rename(outer, stage.folder + "/moved") == 0)
            try FileManager.default.createSymbolicLink(
                atPath: outer, withDestinationPath: stage.root + "/elsewhere")
            #expect(Self.fault(domain)?.isOther == true)
        }
    }

    @Test func aFileInThePlaceOfTheFolderIsNone() async throws {
        try await ProviderFixture.with { stage in
            let path = stage.root + "/handed"
            try Self.makeFolder(path)
            let domain = try Self.domain(path)
            #expect(rmdir(path) == 0)
            #expect(Self.fault(domain)?.description.contains(Errno.noSuchFile.description) == true)
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(Self.fault(domain)?.description == "\(path) is not a folder")
        }
    }

    @Test func linksInTheUsersPathMayChangeOnceTheFolderIsKnown() async throws {
        try await ProviderFixture.with { stage in
            let link = stage.root + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: stage.folder)
            let domain = try Self.domain(link)
            #expect(domain.handed?.path == stage.folder)
            #expect(unlink(link) == 0)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: stage.root)
            #expect(try domain.handedFolder(apartFrom: [])?.path == stage.folder)
        }
    }
}
