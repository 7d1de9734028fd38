import LinuxSystem

/// The open files of this process beneath a folder, or in what was one.
func openDescriptors(beneath path: String) throws -> Int {
    let folder = try FileDescriptor.open("/proc/self/fd", [.readOnly, .directory])
    return try folder.entries().count { entry in
        let target = try? folder.target(ofLink: entry.name)
        return String(decoding: target ?? [], as: UTF8.self).hasPrefix(path)
    }
}
