import Foundation
import LinuxSystem
import ZipArchive

extension Section {
    /// Archives of a mixed tree, against Info-ZIP.
    static let zip = Section(name: "zip") { report in
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zip") else {
            report.skip("zip of a tree", because: "no zip here (Debian package zip)")
            return
        }
        let scratch = try ScratchFolder()
        let tree = try MixedTree(in: scratch)
        let levels = ProcessInfo.processInfo.environment["LEVEL"].map { [Int($0)!] } ?? [5, 6, 7, 8, 9]
        for level in levels {
            for store in [true, false] {
                var ourSize = 0
                var theirSize = 0
                let ours = {
                    let output = try scratch.file("ours.zip")
                    defer { try? scratch.remove("ours.zip") }
                    let made = try ZipArchiver.archive(
                        directory: tree.descriptor, named: "tree", to: output, options: .init(level: level),
                        shouldStore: { store && MixedTree.isCompressed($0) })
                    ourSize = made.archiveBytes
                }
                let theirs = {
                    defer { try? scratch.remove("theirs.zip") }
                    _ = try Child.output(
                        ofProgram: "/bin/sh", ["-c", "cd \"$0\" && exec zip -qr theirs.zip tree", scratch.path])
                    theirSize = try FileStatus.of(scratch.path + "/theirs.zip").size
                }
                let times = try Measure.medians(rounds: 3, ours, theirs)
                report.add(
                    "zip of \(tree.files) files \(level) \(store)", Double(tree.bytes) / times.ours, .bytesPerSecond,
                    peer: Figure.Peer(name: "zip -qr", value: Double(tree.bytes) / times.theirs),
                    target: .ratioAtLeast(4))
                report.add(
                    "its size", Double(ourSize), .bytes, peer: Figure.Peer(name: "zip -qr", value: Double(theirSize)),
                    target: .ratioAtMost(1))
            }
        }
    }
}
