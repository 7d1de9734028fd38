import LinuxSystem

/// Returns the number of this process's open files beneath a directory, which may have been removed.
func openDescriptors(beneath path: String) throws -> Int {
    let folder = try FileDescriptor.open("/proc/self/fd", [.readOnly, .directory])
    return try folder.entries().count { entry in
        let target = try? folder.target(ofLink: entry.name)
        return String(decoding: target ?? [], as: UTF8.self).hasPrefix(path)
    }
}
