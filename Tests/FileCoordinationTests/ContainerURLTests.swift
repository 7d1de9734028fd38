import FileCoordination
import Foundation
import Glibc
import TestThreads
import Testing

@Suite(.ownThreads) struct ContainerURLTests {
    @Test func aGroupHasNoFolderInARelativeHome() async {
        await #expect(processExitsWith: .success) {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: place) }
            try #require(chdir(place.path) == 0)
            let name = "org.purvey.tests.relative"
            setenv("XDG_DATA_HOME", place.path + "/data", 1)
            setenv("PURVEY_HOME", "rel", 1)
            #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name) == nil)
            setenv("PURVEY_HOME", place.path + "/rel", 1)
            let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
            #expect(url?.path == place.path + "/rel/data/groups/" + name)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["rel"])
        }
    }
}
