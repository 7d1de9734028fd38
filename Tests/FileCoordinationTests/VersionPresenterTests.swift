import FileCoordination
import Foundation
import Glibc
import TestThreads
import Testing

/// Notifications of versions. The tests run in a separate process, because other tests of this process change the
/// directory of the versions.
@Suite(.ownThreads) struct VersionPresenterTests {
    @Test func versionsThatComeAndGoAreToldToTheItemsPresentersAndToTheDirectorys() async {
        await #expect(processExitsWith: .success) {
            let folder = try CoordinationFolder()
            let (home, record) = (try CoordinationFolder(), Record())
            setenv("PURVEY_HOME", home.url.path, 1)
            let file = try folder.file("a.txt", "now")
            let presenters = [
                RecordingPresenter(file, record), RecordingPresenter(folder.url, record, name: "directory"),
                RecordingPresenter(folder["b.txt"], record, name: "elsewhere"),
            ]
            for presenter in presenters { NSFileCoordinator.addFilePresenter(presenter) }
            defer { for presenter in presenters { NSFileCoordinator.removeFilePresenter(presenter) } }
            let kept = try NSFileVersion.addOfItem(at: file, withContentsOf: file)
            let conflict = try NSFileVersion.addConflict(
                ofItemAt: file, withContentsOf: try folder.file("theirs", "theirs"), savedOn: "elsewhere")
            await eventually { record.all.count == 4 }
            #expect(record.contains("gained a.txt: now"))
            #expect(record.contains("directory a.txt gained a.txt: theirs"))
            conflict.isResolved = true
            // Setting the same value again sends no notification.
            conflict.isResolved = true
            await eventually { record.all.count == 6 }
            #expect(Set(record.all[4...]) == ["resolved a.txt: theirs", "directory a.txt resolved a.txt: theirs"])
            try kept.remove()
            try conflict.replaceItem(at: file, options: .byMoving)
            await eventually { record.all.count == 10 }
            #expect(record.all[6...].filter { $0 == "lost a.txt: gone" }.count == 2)
            #expect(record.all[6...].filter { $0 == "directory a.txt lost a.txt: gone" }.count == 2)
            try NSFileVersion.addOfItem(at: file, withContentsOf: file)
            await eventually { record.all.count == 12 }
            try NSFileVersion.removeOtherVersionsOfItem(at: file)
            await eventually { record.all.count == 14 }
            #expect(record.all.last?.hasSuffix("lost a.txt: gone") == true)
        }
    }
}
