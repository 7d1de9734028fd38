import Foundation
import Glibc
import LinuxSystem

extension Section {
    /// Copies of a file of 1 GiB: a clone on file systems that share blocks, on others compared with `cp`.
    static let copy = Section(name: "copy") { report in
        Measure.warmMemory(byteCount: 3 << 30)
        try measureAgainstCp(&report)
        for fileSystem in ["btrfs", "xfs"] {
            do {
                try measureClone(on: fileSystem, &report)
            } catch {
                report.skip("clone of 1 GiB on \(fileSystem)", because: "\(error)")
            }
        }
    }

    private static let size = 1 << 30

    private static func measureAgainstCp(_ report: inout Report) throws {
        let scratch = try ScratchFolder()
        var noise = IncompressibleBytes()
        let source = try scratch.file("source")
        try noise.write(size, to: source)
        try source.synchronize()
        var method = CopyMethod.readWrite
        let cleanUp = {
            try? scratch.remove("ours")
            try? scratch.remove("theirs")
        }
        let times = try Measure.medians(rounds: 5, cleanUp: cleanUp) {
            method = try FileCopier.copy(source, into: scratch.descriptor, named: "ours")
        } _: {
            _ = try BenchmarkChild.output(ofProgram: "/bin/cp", [scratch.path + "/source", scratch.path + "/theirs"])
        }
        report.add(
            "copy of 1 GiB (\(method))", Double(size) / times.ours, .bytesPerSecond,
            peer: Figure.Peer(name: "cp", value: Double(size) / times.theirs), target: .ratioAtLeast(0.9))
    }

    /// Creates a file system in an image, mounts it and clones a file in it.
    private static func measureClone(on fileSystem: String, _ report: inout Report) throws {
        guard getuid() == 0 else { throw CopyFailure("mounting an image takes root") }
        let images = try ScratchFolder()
        let image = try images.file("image")
        try image.truncate(to: 3 << 30)
        let mount = images.path + "/mount"
        _ = try images.folder("mount")
        _ = try BenchmarkChild.output(ofProgram: "/usr/sbin/mkfs.\(fileSystem)", ["-q", images.path + "/image"])
        _ = try BenchmarkChild.output(ofProgram: "/bin/mount", ["-o", "loop", images.path + "/image", mount])
        defer { _ = try? BenchmarkChild.output(ofProgram: "/bin/umount", [mount]) }
        let time = try cloneTime(in: mount)
        report.add("clone of 1 GiB on \(fileSystem)", time, .seconds, target: .atMost(0.005))
    }

    /// Returns the duration of a clone in seconds. Closes all files on the mounted file system.
    private static func cloneTime(in mount: String) throws -> Double {
        let scratch = try ScratchFolder(in: mount)
        var noise = IncompressibleBytes()
        let source = try scratch.file("source")
        try noise.write(size, to: source)
        try source.synchronize()
        var method = CopyMethod.readWrite
        var number = 0
        let time = try Measure.median(rounds: 9) {
            number += 1
            method = try FileCopier.copy(source, into: scratch.descriptor, named: "clone-\(number)")
        }
        guard method == .clone else { throw CopyFailure("the file was copied (\(method)), not cloned") }
        return time
    }
}

private struct CopyFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
