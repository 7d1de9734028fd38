import BrowserTesting
import DaemonTesting
import DesktopTesting
import Foundation
import LinuxSystem
import ScriptableService
import Testing

/// Tests of the extension of Purvey in file managers: emblems, the column and menus.
@Suite(
    .serialized, .timeLimit(.minutes(20)),
    .enabled(if: !Manager.extensible.isEmpty, "only a step of make test-full runs them"))
struct ExtensionTests {
    @Test(arguments: Manager.extensible)
    func theEmblemAndTheColumnFollowTheStateOfAFile(in manager: Manager) async throws {
        try await ManagerFixture.run(manager, ["Plan.txt": "to do"]) { window in
            let place = window.place
            try await window.open(place.mount)
            try await window.find("In the cloud")
            try await window.awaitEmblem(.cloud)
            #expect(try await place.tell { try $0.count(.contents) } == 0)
            let steps: [(command: String, words: String, emblem: Emblem?)] = [
                ("download", "On this computer", nil), ("keep", "On this computer, kept", .kept),
                ("evict", "In the cloud", .cloud),
            ]
            for (command, words, emblem) in steps {
                let (ending, text) = try await onThread { [daemon = place.daemon] in
                    try daemon.purvey([command, "Cloud:Plan.txt"])
                }
                #expect(ending == .exited(0), "\(text)")
                try await window.find(words)
                try await window.awaitEmblem(emblem)
            }
        }
    }

    @Test(arguments: Manager.extensible)
    func theMenuOfARenamedFileKeepsItAndHasTheActionsOfItsProvider(in manager: Manager) async throws {
        try await ManagerFixture.run(manager, ["Plan.txt": "to do"]) { window in
            let place = window.place
            try await window.open(place.mount)
            try await window.find("In the cloud")
            try await window.focusWindow("Cloud")
            try await window.rename(to: "Idea.txt")
            try await window.find("Idea.txt")
            try await window.focusWindow("Cloud")
            try await window.chooseInMenu("Keep on This Computer")
            try await window.find("On this computer, kept")
            try await window.chooseInMenu("Touch")
            try await eventually("the service has performed the action") {
                try await place.tell { try $0.count(.act) } == 1
            }
            try await window.chooseInMenu("Free Up Space")
            try await window.find("In the cloud")
        }
    }
}

extension ManagerFixture {
    /// Waits until the display shows the given emblem and no other one. If `emblem` is `nil`, waits until it shows
    /// none.
    fileprivate func awaitEmblem(_ emblem: Emblem?) async throws {
        try await eventually("the emblem \(emblem?.rawValue ?? "is gone")") { [pixels = desk.pixels] in
            try await onThread { try Emblem.allCases.allSatisfy { try (pixels.count($0.color) > 0) == ($0 == emblem) } }
        }
    }
}
