import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import ScriptableService
import TestThreads
import Testing

/// Tests of a replicated provider, whose files the system keeps, with a daemon, a mount and a service in processes of
/// their own.
@Suite(.timeLimit(.minutes(20))) struct ReplicaMountTests {
    /// Runs a test with the root listed, so that changes at the service are reported.
    private func run(_ body: (ServiceFixture) async throws -> Void) async throws {
        try await ServiceFixture.run(model: .replica) { place in
            try await place.tell { try $0.put("docs/inner.txt", "inside") }
            #expect(await place.names() == ["docs"])
            try await body(place)
        }
    }

    private func expect(_ what: String, _ tree: [String: String], _ place: ServiceFixture) async throws {
        var found: [String: String] = [:]
        try await place.eventually(what) {
            // Between the two requests a file may be replaced.
            found = try await place.tell { control in
                try control.snapshot().reduce(into: [:]) { tree, entry in
                    switch entry.value.kind {
                    case .folder: tree[entry.key] = "folder"
                    case .link: tree[entry.key] = "-> " + (entry.value.linkTarget ?? "")
                    case .file: tree[entry.key] = try? control.text(entry.key)
                    }
                }
            }
            return found == tree
        }
        #expect(found == tree)
    }

    @Test func filesAreFetchedEditedMovedAndRemoved() async throws {
        try await run { place in
            #expect(try await place.item("docs/inner.txt")["state"] as? String == "dataless")
            let notices = place.cloud.folder + "/notices"
            try Data().write(to: URL(fileURLWithPath: notices))
            #expect(await place.read("docs/inner.txt") == "inside")
            #expect(try await place.item("docs/inner.txt")["state"] as? String == "current")

            try await place.write("new", to: "new.txt")
            try await place.write("draft", to: "docs/.inner.txt.tmp")
            try await place.run { mount in
                try check(rename(mount + "/docs/.inner.txt.tmp", mount + "/docs/inner.txt"))
                try check(mkdir(mount + "/made", 0o755))
                try check(symlink("../new.txt", mount + "/made/link"))
                try check(rename(mount + "/new.txt", mount + "/made/moved.txt"))
            }
            try await expect(
                "the service has what was made",
                [
                    "docs": "folder", "docs/inner.txt": "draft", "made": "folder", "made/link": "-> ../new.txt",
                    "made/moved.txt": "new",
                ], place)
            try await place.write("edited", to: "made/moved.txt")
            try await place.run { mount in
                try check(unlink(mount + "/made/link"))
                try check(unlink(mount + "/docs/inner.txt"))
                try check(rmdir(mount + "/docs"))
            }
            try await expect(
                "the service has what became of it", ["made": "folder", "made/moved.txt": "edited"], place)

            try await place.eventually("the edit is confirmed") {
                try await place.item("made/moved.txt")["state"] as? String == "current"
            }
            try await place.succeed("evict", "Cloud:made/moved.txt")
            #expect(try await place.item("made/moved.txt")["state"] as? String == "dataless")
            #expect(await place.read("made/moved.txt") == "edited")
            // The working set reports changes by other clients.
            try await place.tell { try $0.put("made/moved.txt", "changed by others") }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("others' contents are here") {
                await place.read("made/moved.txt") == "changed by others"
            }
            // The provider is notified of changes once it follows the sets, which may be after all of the above.
            try await place.eventually("the provider was told of what came here and of what waited") {
                try await place.write("once more", to: "made/moved.txt")
                let told = try String(contentsOfFile: notices, encoding: .utf8).split(separator: "\n")
                return told.contains("materialized") && told.contains("pending")
            }
        }
    }

    @Test func contentsChangedByTheServiceAreRead() async throws {
        try await run { place in
            try await place.write("quiet", to: "a.shouted")
            try await place.eventually("it is read as the service has it") {
                await place.read("a.shouted") == "QUIET"
            }
            try await place.write("again", to: "a.shouted")
            try await place.eventually("and again") { await place.read("a.shouted") == "AGAIN" }
            // If the service accepts a file without its contents, they are sent later.
            try await place.write("patience", to: "b.later")
            try await expect(
                "the service has all contents",
                ["docs": "folder", "docs/inner.txt": "inside", "a.shouted": "AGAIN", "b.later": "patience"], place)
            #expect(await place.read("b.later") == "patience")
        }
    }

    @Test func bothVersionsStayWhereTwoHaveEditedAFileOrTakenAName() async throws {
        try await run { place in
            #expect(await place.read("docs/inner.txt") == "inside")
            try await place.tell { control in
                try control.add(CloudRule(.fail(.broken), on: .replace))
                try control.add(CloudRule(.fail(.broken), on: .create))
            }
            try await place.write("ours", to: "docs/inner.txt")
            try await place.write("ours", to: "same.txt")
            try await place.eventually("both were tried") {
                try await place.tell { try $0.count(.replace) > 0 && $0.count(.create) > 0 }
            }
            try await place.tell { control in
                try control.put("docs/inner.txt", "theirs")
                try control.put("same.txt", "theirs")
                try control.removeRules()
            }
            try await place.succeed("retry", "Cloud")
            var contents: [String: String] = [:]
            try await place.eventually("the service has all four") {
                contents = try await place.tell { control in
                    try control.snapshot().filter { $0.value.kind == .file }.reduce(into: [:]) { contents, entry in
                        contents[entry.key] = try control.text(entry.key)
                    }
                }
                return contents.count == 4
            }
            #expect(contents["docs/inner.txt"] == "theirs" && contents["same.txt"] == "theirs")
            #expect(contents["same 2.txt"] == "ours", "\(contents)")
            #expect(
                contents.contains { $0.key.hasPrefix("docs/inner (conflicted copy") && $0.value == "ours" },
                "\(contents)")
        }
    }

    @Test func anEditDuringWhichTheExtensionIsKilledIsThereOnce() async throws {
        try await run { place in
            for (number, request) in [CloudRule.Request.create, .replace, .move, .delete].enumerated() {
                let isDone = number.isMultiple(of: 2)
                try await place.tell { try $0.add(CloudRule(isDone ? .holdAfterwards : .hold, on: request, times: 1)) }
                switch request {
                case .create: try await place.write("new", to: "new.txt")
                case .replace: try await place.write("newer", to: "new.txt")
                case .move:
                    try await place.run { try check(rename($0 + "/new.txt", $0 + "/moved.txt")) }
                default: try await place.run { try check(unlink($0 + "/docs/inner.txt")) }
                }
                try await place.eventually("the service is asked to \(request)") {
                    try await place.tell { try $0.held() > 0 }
                }
                for process in place.extensionProcesses { kill(process, SIGKILL) }
                try await place.tell { try $0.removeRules() }
                try await place.succeed("retry", "Cloud")
                let expected: [String: String] =
                    switch request {
                    case .create: ["docs": "folder", "docs/inner.txt": "inside", "new.txt": "new"]
                    case .replace: ["docs": "folder", "docs/inner.txt": "inside", "new.txt": "newer"]
                    case .move: ["docs": "folder", "docs/inner.txt": "inside", "moved.txt": "newer"]
                    default: ["docs": "folder", "moved.txt": "newer"]
                    }
                try await expect("the service has it once after the \(request)", expected, place)
            }
        }
    }

    @Test func modesDatesAndExtendedAttributesReachTheServiceAndComeFromThere() async throws {
        try await run { place in
            try await place.write("#!/bin/sh", to: "tool")
            try await place.run { mount in
                let path = mount + "/tool"
                try check(chmod(path, 0o755))
                var times = [timeval(tv_sec: 1_234_567_890, tv_usec: 0), timeval(tv_sec: 1_234_567_890, tv_usec: 0)]
                try check(utimes(path, &times))
                try FileDescriptor.open(path, .readOnly).setAttribute("user.color", "red")
                try check(chmod(mount + "/docs/inner.txt", 0o444))
            }
            try await place.eventually("the service has them") {
                try await place.tell { control in
                    let all = try control.snapshot()
                    return all["tool"]?.permissions == 7 && all["tool"]?.modified == 1_234_567_890
                        && all["tool"]?.attributes == ["color": Array("red".utf8)]
                        && all["docs/inner.txt"]?.permissions == 2
                }
            }
            // The lack of write permission now comes from the service, and its owner can revoke it.
            try await place.run { mount in
                #expect(try FileStatus.of(mount + "/docs/inner.txt").mode & 0o777 == 0o444)
                try check(chmod(mount + "/docs/inner.txt", 0o644))
            }
            // The change applies at once, whether or not the service has it yet.
            try await place.write("edited", to: "docs/inner.txt")
            try await place.eventually("it may be written there too") {
                try await place.tell { control in
                    try control.snapshot()["docs/inner.txt"]?.permissions == 6
                        && control.text("docs/inner.txt") == "edited"
                }
            }
            // If a file is saved by renaming a new one over it, the new file's mode is sent.
            try await place.write("saved", to: "docs/.inner.txt.tmp")
            try await place.run { mount in
                try check(chmod(mount + "/docs/.inner.txt.tmp", 0o700))
                try check(rename(mount + "/docs/.inner.txt.tmp", mount + "/docs/inner.txt"))
            }
            try await place.eventually("the saved file may be run") {
                try await place.tell { control in
                    try control.snapshot()["docs/inner.txt"]?.permissions == 7
                        && control.text("docs/inner.txt") == "saved"
                }
            }
            // A later change by another client overrides a mode that was set locally.
            try await place.tell { try $0.set(.permissions(6), of: "docs/inner.txt") }
            try await place.succeed("signal", "Cloud")
            try await place.eventually("it may not be run any more") {
                try await onThread { [mount = place.mount] in
                    try FileStatus.of(mount + "/docs/inner.txt").mode & 0o777 == 0o600
                }
            }
        }
    }

    @Test func itemsGoToTheTrashAndComeBack() async throws {
        try await run { place in
            #expect(await place.read("docs/inner.txt") == "inside")
            try await place.succeed("trash", "Cloud:docs/inner.txt")
            try await expect("it is in the trash", ["docs": "folder", ".trash/inner.txt": "inside"], place)
            try await place.eventually("it is known to be there") {
                try await place.succeed("trash").text.contains("inner.txt")
            }
            try await place.succeed("untrash", "Cloud:inner.txt")
            #expect(await place.read("docs/inner.txt") == "inside")
            try await expect("it is back", ["docs": "folder", "docs/inner.txt": "inside"], place)
            try await place.succeed("tag", "Cloud:docs/inner.txt", "Work")
            try await place.eventually("the service has the tag") {
                try await place.tell { try $0.snapshot()["docs/inner.txt"]?.tagData != nil }
            }
        }
    }
}

extension ServiceFixture {
    /// Runs a blocking closure with the mount's path.
    fileprivate func run(_ body: @escaping @Sendable (String) throws -> Void) async throws {
        let mount = mount
        try await onThread { try body(mount) }
    }
}

/// Throws the present error if a system call failed.
private func check(_ result: CInt) throws {
    guard result == 0 else { throw Errno.current }
}
