import FileCoordination
import Foundation
import Glibc
import ProgramTesting
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

    @Test func groupDefaultsReachAllMembersAtOnceAndPersist() async {
        await #expect(processExitsWith: .success) {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: place) }
            setenv("PURVEY_HOME", place.path, 1)
            let name = "group.org.purvey.tests"
            let (one, other) = (
                try #require(UserDefaults(suiteName: name)), try #require(UserDefaults(suiteName: name))
            )
            one.register(defaults: ["registered": 7])
            one.set(5, forKey: "number")
            one.set(true, forKey: "flag")
            one.set(2.5, forKey: "measure")
            one.set("text", forKey: "text")
            one.set(["a", "b"], forKey: "list")
            one.set(["k": ["n": 1]], forKey: "tree")
            one.set(Data([1, 2]), forKey: "data")
            one.set(Date(timeIntervalSince1970: 1_000), forKey: "date")
            one.set(URL(fileURLWithPath: "/tmp/x"), forKey: "url")
            #expect(other.integer(forKey: "number") == 5)
            #expect(other.bool(forKey: "flag"))
            #expect(other.double(forKey: "measure") == 2.5)
            #expect(other.string(forKey: "text") == "text")
            #expect(other.stringArray(forKey: "list") == ["a", "b"])
            #expect((other.dictionary(forKey: "tree")?["k"] as? [String: Int]) == ["n": 1])
            #expect(other.data(forKey: "data") == Data([1, 2]))
            #expect(other.object(forKey: "date") as? Date == Date(timeIntervalSince1970: 1_000))
            #expect(other.url(forKey: "url")?.path == "/tmp/x")
            #expect(other.integer(forKey: "registered") == 7)
            other.removeObject(forKey: "text")
            #expect(one.string(forKey: "text") == nil)
            #expect(one.dictionaryRepresentation()["number"] as? Int == 5)
            let file = place.path + "/data/groups/\(name)/Library/Preferences/\(name).plist"
            #expect(FileManager.default.fileExists(atPath: file))
            // No change is lost to a concurrent one.
            DispatchQueue.concurrentPerform(iterations: 40) { number in
                UserDefaults(suiteName: "group.org.purvey.tests")?.set(number, forKey: "key\(number)")
            }
            for number: Int in 0..<40 { #expect(one.integer(forKey: "key" + String(number)) == number) }
            // A file that is no property list counts as empty and is overwritten.
            try Data("damaged".utf8).write(to: URL(fileURLWithPath: file))
            #expect(one.object(forKey: "number") == nil)
            one.set(6, forKey: "number")
            #expect(other.integer(forKey: "number") == 6)
        }
    }

    /// Another program may be stopped while it holds the lock and before it replaces the file.
    @Test func changesWaitForTheLockOfAnotherProgramAndAreNotLost() async {
        await #expect(processExitsWith: .success) {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: place) }
            setenv("PURVEY_HOME", place.path, 1)
            let name = "group.org.purvey.tests"
            let preferences = place.path + "/data/groups/\(name)/Library/Preferences"
            let file = URL(fileURLWithPath: preferences + "/\(name).plist")
            func stored() throws -> [String: Int] {
                let list = try PropertyListSerialization.propertyList(from: try Data(contentsOf: file), format: nil)
                return (list as? [String: Any] ?? [:]).compactMapValues { $0 as? Int }
            }
            let (one, other) = (
                try #require(UserDefaults(suiteName: name)), try #require(UserDefaults(suiteName: name))
            )
            one.set(1, forKey: "before")
            one.set(1, forKey: "removed")
            #expect(one.synchronize())
            let holder = try RunningProgram(
                "/usr/bin/env", ["flock", preferences + "/.\(name).lock", "sh", "-c", "echo held; read line"],
                input: .pipe)
            #expect(try holder.waitForLine() == "held")
            one.set(2, forKey: "one")
            one.set(3, forKey: "one")
            one.removeObject(forKey: "removed")
            other.set(4, forKey: "other")
            // This process sees its own changes, and the file has none of them.
            #expect(one.integer(forKey: "one") == 3 && one.object(forKey: "removed") == nil)
            #expect(!one.synchronize() && !other.synchronize())
            #expect(try stored() == ["before": 1, "removed": 1])
            // The other program replaces the file with the values that it read before.
            try PropertyListSerialization.data(
                fromPropertyList: ["before": 1, "removed": 1, "holder": 5], format: .binary, options: 0
            ).write(to: file)
            holder.closeInput()
            _ = try holder.waitForEnd()
            let all = ["before": 1, "holder": 5, "one": 3, "other": 4]
            var polls = 0
            while try stored() != all, polls < 6_000 {
                usleep(10_000)
                polls += 1
            }
            #expect(try stored() == all)
            #expect(one.synchronize() && other.synchronize())
            #expect(one.integer(forKey: "other") == 4 && other.integer(forKey: "one") == 3)
        }
    }

    @Test func aLinkInAGroupLeadsItsOthersNowhere() async {
        await #expect(processExitsWith: .success) {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: place) }
            setenv("PURVEY_HOME", place.path, 1)
            let name = "group.org.purvey.tests"
            let preferences = place.path + "/data/groups/\(name)/Library/Preferences"
            try FileManager.default.createDirectory(atPath: preferences, withIntermediateDirectories: true)
            let secret = place.path + "/secret.plist"
            try PropertyListSerialization.data(fromPropertyList: ["key": "secret"], format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: secret))
            symlink(secret, preferences + "/\(name).plist")
            let defaults = try #require(UserDefaults(suiteName: name))
            #expect(defaults.string(forKey: "key") == nil)
            defaults.set("open", forKey: "key")
            #expect(defaults.string(forKey: "key") == "open")
            #expect(try String(contentsOfFile: secret, encoding: .utf8).contains("secret"))
        }
    }

    @Test func namesThatAreNoGroupNamesHaveNoFolder() async {
        await #expect(processExitsWith: .success) {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: place) }
            setenv("PURVEY_HOME", place.path + "/home", 1)
            let names = [
                "", ".", "..", "/", "../x", "group.a/../../x", "group.a/b", "/tmp/x", ".hidden", "group.a\0b",
                "group.a\nb", "group a", "group.\u{E9}", "~", "$HOME", String(repeating: "g", count: 201),
                "group." + String(repeating: "x", count: 300), "group." + String(repeating: "../", count: 60) + "tmp/x",
            ]
            for name in names {
                let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
                #expect(url == nil, "\(name)")
                #expect(!AppGroup.isSuite(name), "\(name)")
                #expect(AppGroup.declared(in: [AppGroup.listKey: [name]]).isEmpty, "\(name)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
            // The longest name has a directory and values.
            let name = "group." + String(repeating: "x", count: 194)
            let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
            #expect(url?.path == place.path + "/home/data/groups/" + name)
            let (one, other) = (
                try #require(UserDefaults(suiteName: name)), try #require(UserDefaults(suiteName: name))
            )
            one.set(1, forKey: "number")
            #expect(other.integer(forKey: "number") == 1)
        }
    }

    /// Another program of the group can replace every file and directory in the group's directory.
    @Test func filesOfOtherKindsInAGroupAreNoValues() async {
        await #expect(processExitsWith: .success) {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: place) }
            setenv("PURVEY_HOME", place.path, 1)
            let name = "group.org.purvey.tests"
            let library = place.path + "/data/groups/\(name)/Library"
            let (file, lock) = (library + "/Preferences/\(name).plist", library + "/Preferences/.\(name).lock")
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set("one", forKey: "key")
            // A FIFO without a writer would block a reader.
            unlink(file)
            mkfifo(file, 0o600)
            #expect(defaults.string(forKey: "key") == nil)
            defaults.set("two", forKey: "key")
            #expect(defaults.string(forKey: "key") == "two")
            for make in [{ mkfifo(lock, 0o600) }, { symlink(place.path + "/target", lock) }, { mkdir(lock, 0o700) }] {
                unlink(lock)
                #expect(make() == 0)
                defaults.set("three", forKey: "key")
                #expect(defaults.string(forKey: "key") == "three")
                defaults.removeObject(forKey: "key")
                #expect(defaults.string(forKey: "key") == nil)
            }
            #expect(access(place.path + "/target", F_OK) != 0)
            // A directory cannot be replaced. The value is lost, and the program continues.
            unlink(file)
            mkdir(file, 0o700)
            defaults.set("four", forKey: "key")
            #expect(defaults.string(forKey: "key") == nil)
            rmdir(file)
            defaults.set("five", forKey: "key")
            #expect(defaults.string(forKey: "key") == "five")
        }
    }

    @Test func aGroupWhosePreferencesAreALinkHasNoValues() async {
        await #expect(processExitsWith: .success) {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: place) }
            setenv("PURVEY_HOME", place.path, 1)
            let name = "group.org.purvey.tests"
            let group = place.path + "/data/groups/\(name)"
            for path in ["Library", "Library/Preferences"] {
                try? FileManager.default.removeItem(atPath: group)
                try FileManager.default.createDirectory(
                    atPath: (group + "/" + path as NSString).deletingLastPathComponent,
                    withIntermediateDirectories: true)
                let target = place.path + "/secret"
                try FileManager.default.createDirectory(
                    atPath: target + "/Preferences", withIntermediateDirectories: true)
                #expect(symlink(target, group + "/" + path) == 0)
                #expect(UserDefaults(suiteName: name) == nil)
                #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["Preferences"])
                #expect(try FileManager.default.contentsOfDirectory(atPath: target + "/Preferences").isEmpty)
            }
        }
    }

    @Test func otherSuitesAreFoundationsOwn() throws {
        let plain = try #require(UserDefaults(suiteName: "org.purvey.tests.plain"))
        #expect(type(of: plain) == UserDefaults.self)
    }
}
