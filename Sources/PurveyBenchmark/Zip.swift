import Foundation
import LinuxSystem
import ZipArchive

extension Section {
    /// Archives of a mixed tree, against Info-ZIP at its default level.
    static let zip = Section(name: "zip") { report in
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zip") else {
            report.skip("zip of a tree", because: "no zip here (Debian package zip)")
            return
        }
        let scratch = try ScratchFolder()
        let tree = try MixedTree(in: scratch)
        var ourSize = 0
        var theirSize = 0
        let times = try Measure.medians(rounds: 3) {
            let output = try scratch.file("ours.zip")
            defer { try? scratch.remove("ours.zip") }
            ourSize = try ZipArchiver.archive(
                directory: tree.descriptor, named: "tree", to: output, shouldStore: MixedTree.isCompressed
            ).archiveBytes
        } _: {
            defer { try? scratch.remove("theirs.zip") }
            _ = try Child.output(
                ofProgram: "/bin/sh", ["-c", "cd \"$0\" && exec zip -qr theirs.zip tree", scratch.path])
            theirSize = try FileStatus.of(scratch.path + "/theirs.zip").size
        }
        let processors = ZipArchiver.Options.processors
        report.add(
            "zip of \(tree.files) files, \(processors) processors", Double(tree.bytes) / times.ours, .bytesPerSecond,
            peer: Figure.Peer(name: "zip -qr", value: Double(tree.bytes) / times.theirs),
            // The target is for four processors; on fewer the figure is shown for what it is.
            target: processors >= 4 ? .ratioAtLeast(4) : .none)
        report.add(
            "its size", Double(ourSize), .bytes, peer: Figure.Peer(name: "zip -qr", value: Double(theirSize)),
            target: .ratioAtMost(1))
    }
}
