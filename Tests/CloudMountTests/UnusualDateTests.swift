import CLinux
import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import Glibc
import ItemValues
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests of file dates far from the present.
@Suite(.ownThreads, .enabled(if: canMount)) struct UnusualDateTests {
    private static let year1601 = -11_644_473_600.0
    private static let year9999 = 253_370_764_800.0

    @Test func datesOfAProviderAreShownOrClamped() async throws {
        let dates: [(name: String, said: Double, shown: Int)] = [
            ("1601", Self.year1601, Int(Self.year1601)), ("9999", Self.year9999, Int(Self.year9999)),
            ("before 1970", -1.5, -2), ("no number", .nan, 0), ("endless", .infinity, 253_402_300_799),
            ("endless before", -.infinity, -62_135_596_800), ("too far", 1e300, 253_402_300_799),
            ("too far before", -1e300, -62_135_596_800),
        ]
        try await withMount { provider in
            for date in dates {
                let identifier = provider.addFile(date.name, "text")
                provider.update(identifier) { $0.modified = date.said }
            }
        } _: { (mount) throws in
            for date in dates {
                #expect(try mount.status(date.name).modified.tv_sec == date.shown, "\(date.name)")
                #expect(try mount.text(date.name) == "text")
                #expect(try mount.status(date.name).modified.tv_sec == date.shown, "\(date.name)")
                let file = try mount.open(date.name, [.readWrite])
                try file.overwrite(Array("more".utf8), at: 4)
            }
            mount.waitUntilSent()
            for date in dates { #expect(mount.provider.text(at: date.name) == "textmore") }
        }
    }

    @Test(arguments: [true, false]) func settingADateIsNoEdit(passing: Bool) async throws {
        try await withMount(passing: passing) { provider in
            provider.addFile("Here", "text")
            provider.addFile("Not here", "text")
        } _: { (mount) throws in
            #expect(try mount.text("Here") == "text")
            for name in ["Here", "Not here"] {
                let touched = try start("touch", "-d", "2001-02-03 04:05:06 UTC", mount(name)).waitForEnd()
                #expect(touched.status == 0, "\(touched)")
                #expect(try mount.status(name).modified.tv_sec == 981_173_106)
            }
            mount.waitUntilSent()
            #expect(mount.provider.count(.replaceContents) == 0)
            #expect(mount.provider.count(.contents) == 1)
            // The date is set before or after a write.
            for isLast in [true, false] {
                do {
                    let file = try mount.open("Here", .readWrite)
                    if isLast { try file.overwrite(Array("more".utf8), at: 4) }
                    let times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
                    try retrying { futimens(file.rawValue, times) }
                    #expect(try file.status().modified.tv_sec == 1_000_000)
                    if !isLast { try file.overwrite(Array("less".utf8), at: 4) }
                    #expect(try (file.status().modified.tv_sec == 1_000_000) == isLast)
                }
                #expect(try (mount.status("Here").modified.tv_sec == 1_000_000) == isLast)
            }
            mount.waitUntilSent()
            #expect(mount.provider.tree == ["Here": "textless", "Not here": "text"])
        }
    }

    @Test(arguments: [true, false]) func datesSetByAProgramAreShownOrClamped(passing: Bool) async throws {
        try await withMount(passing: passing) { provider in
            provider.addFile("Clean", "text")
        } _: { (mount) throws in
            try mount.write("text", to: "New")
            do {
                let open = try mount.open("Clean", [.readWrite])
                for seconds in [Int(Self.year1601), Int(Self.year9999), -1, 0, .max, .min, 1 << 40] {
                    for name in ["Clean", "New"] {
                        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 500)]
                        #expect(mount.failure { try retrying { utimensat(AT_FDCWD, mount(name), times, 0) } } == nil)
                        let shown = try mount.status(name).modified.tv_sec
                        if seconds == 0 || seconds == -1 { #expect(shown == seconds) }
                        #expect((-62_135_596_800...253_402_300_800).contains(shown), "\(seconds)")
                    }
                }
                withExtendedLifetime(open) {}
            }
            try mount.write("changed", to: "Clean")
            mount.waitUntilSent()
            #expect(mount.provider.tree == ["Clean": "changed", "New": "text"])
        }
    }
}
