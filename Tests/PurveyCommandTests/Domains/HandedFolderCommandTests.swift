import FileTesting
import Foundation
import Glibc
import ProgramTesting
import Testing

/// The folder that was passed to a domain, and other folders that replace it at its path.
@Suite(.timeLimit(.minutes(20))) struct HandedFolderCommandTests {
    private func record(_ place: CommandFixture) -> String { place.home + "/data/domains/Papers/domain.plist" }

    private func noted(_ place: CommandFixture) throws -> [String: String]? {
        let data = try Data(contentsOf: URL(fileURLWithPath: record(place)))
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        return (list as? [String: Any])?["Folder"] as? [String: String]
    }

    @Test func aLinkThatCameToThePathIsRefusedAndTheFolderServedAgainOnceItIsBack() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            #expect(try noted(place)?["Path"] == cloud.cloud)
            try await cloud.end()
            let (aside, secret) = (place.path("aside"), place.path("secret"))
            #expect(rename(cloud.cloud, aside) == 0)
            try FileManager.default.createDirectory(atPath: secret, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(atPath: cloud.cloud, withDestinationPath: secret)
            for command in ["domains", "status"] {
                let text = try await place.purvey(command).text
                #expect(text.contains("\(cloud.cloud) is another folder"), "\(text)")
                #expect(text.contains("purvey domains remove"), "\(text)")
            }
            #expect(await cloud.contents(cloud.mount + "/a.txt") == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: secret).isEmpty)
            #expect(unlink(cloud.cloud) == 0 && rename(aside, cloud.cloud) == 0)
            #expect(try await place.purvey("retry", "Papers").status == 0)
            try await cloud.eventually("the folder is served again") {
                await cloud.contents(cloud.mount + "/a.txt") == "hello\n"
            }
        }
    }

    @Test func theFolderOfADomainOfAnOlderBuildIsNotedAtItsFirstStart() async throws {
        try await CommandFixture.run { place in
            let cloud = try await CloudFixture(place)
            try await cloud.add()
            let known = try #require(try noted(place))
            try await cloud.end()
            let url = URL(fileURLWithPath: record(place))
            let read = try PropertyListSerialization.propertyList(
                from: try Data(contentsOf: url), options: [], format: nil)
            var list = try #require(read as? [String: Any])
            list["Folder"] = nil
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0).write(to: url)
            #expect(try await place.purvey("download", "Papers:a.txt").status == 0)
            try await cloud.eventually("the folder is noted") { try noted(place) == known }
        }
    }
}
