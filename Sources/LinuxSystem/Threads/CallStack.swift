import CLinux

/// The call stack of the calling thread.
package enum CallStack {
    /// Returns the return addresses on the stack, from this function's caller outwards. The call takes much less than a
    /// microsecond. The list ends at a function without a frame pointer, which is common in C code.
    package static func returnAddresses(atMost limit: Int) -> [UInt] {
        [UInt](unsafeUninitializedCapacity: limit) { buffer, count in
            guard let addresses = buffer.baseAddress else { return }
            count = Int(clinux_return_addresses(addresses, CInt(limit)))
        }
    }
}

/// A program or library that is loaded into this process.
package struct LoadedImage: Sendable {
    package let path: String
    /// The lowest address of the image.
    package let start: UInt
    /// The address at which the image's code ends.
    package let textEnd: UInt

    /// All images that are loaded, in ascending order of address.
    package static var all: [LoadedImage] {
        var images: [LoadedImage] = []
        withUnsafeMutablePointer(to: &images) { images in
            clinux_each_image(
                { image, context in
                    guard let image = image?.pointee,
                        let images = context?.assumingMemoryBound(to: [LoadedImage].self)
                    else { return }
                    images.pointee.append(
                        LoadedImage(path: String(cString: image.path), start: image.start, textEnd: image.text_end))
                }, images)
        }
        let program = (try? FileDescriptor.open("/proc/self/exe", .pathOnly))?.path
        return images.compactMap { image in
            if !image.path.isEmpty { return image }
            return program.map { LoadedImage(path: $0, start: image.start, textEnd: image.textEnd) }
        }.sorted { $0.start < $1.start }
    }
}
