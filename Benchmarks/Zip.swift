import Foundation
import LinuxSystem
import ZipArchive

extension Section {
    /// Archives of a mixed tree, against Info-ZIP.
    static let zip = Section(name: "zip") { report in
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zip") else {
            report.miss("zip", because: "it is not installed (Debian package zip)")
            return
        }
        let scratch = try ScratchFolder()
        let tree = try MixedTree(in: scratch)
        try Zip.measure(tree, in: scratch, "by type", shouldStore: MixedTree.isCompressed, &report)
        try Zip.measure(tree, in: scratch, "all deflated", shouldStore: { _ in false }, &report)
    }
}

/// The measurements of the section `zip`.
private enum Zip {
    /// Measures archives of a tree.
    ///
    /// - Parameter shouldStore: returns whether a file is stored without compression. Info-ZIP tries to compress all
    ///   files.
    static func measure(
        _ tree: MixedTree, in scratch: ScratchFolder, _ title: String, shouldStore: (String) -> Bool,
        _ report: inout Report
    ) throws {
        var sizes = (ours: 0, theirs: 0)
        let cleanUp = {
            try? scratch.remove("ours.zip")
            try? scratch.remove("theirs.zip")
        }
        let times = try Measure.medians(cleanUp: cleanUp) {
            let made = try ZipArchiver.archive(
                directory: tree.descriptor, named: "tree", to: try scratch.file("ours.zip"), shouldStore: shouldStore)
            sizes.ours = made.archiveBytes
        } _: {
            _ = try BenchmarkChild.output(
                ofProgram: "/bin/sh", ["-c", "cd \"$0\" && exec zip -qr theirs.zip tree", scratch.path])
            sizes.theirs = try FileStatus.of(scratch.path + "/theirs.zip").size
        }
        // The target is for four processors. With fewer, the ratio has no target.
        let target: Figure.Target = ZipArchiver.Options.processors >= 4 ? .ratioAtLeast(4) : .none
        report.add(
            "zip of \(tree.files) files, \(title)", Double(tree.bytes) / times.ours, .bytesPerSecond,
            peer: Figure.Peer(name: "zip -qr", value: Double(tree.bytes) / times.theirs), target: target)
        report.add(
            "its size", Double(sizes.ours), .bytes,
            peer: Figure.Peer(name: "zip -qr", value: Double(sizes.theirs)), target: .ratioAtMost(1))
    }
}
