import LinuxSystem

/// The conversion from the form that a provider offers to the form that a consumer requests.
///
/// The plan is a pure function of three things: the offered form, the requested form, and whether the file system
/// allows to open the original. It is given by this matrix:
///
/// | offered | wanted as data | as a copy | in place |
/// | --- | --- | --- | --- |
/// | data | handed over | written to a file | written to a file, not in place |
/// | file to copy | read | copied | copied, not in place |
/// | file to open in place | read | copied | the original, if reachable; else copied |
/// | directory | zipped | tree copied | tree copied, never in place |
package enum BridgingPlan: Equatable, Sendable {
    case handOverData
    case writeDataToFile
    case readFile
    case copyFile
    case openOriginal
    case zipDirectory
    case copyTree

    /// The form of a load handler's result.
    package enum Offer: Equatable, Sendable {
        case data
        case file(inPlace: Bool)
        case directory(inPlace: Bool)
    }

    /// Returns the step that fulfils a load.
    ///
    /// - Parameter isOriginalReachable: whether the consumer can open the offered file by its path. Evaluated only if
    ///   the result depends on it, because it costs system calls.
    package static func plan(
        for offer: Offer, delivery: Delivery, isOriginalReachable: @autoclosure () -> Bool
    ) -> BridgingPlan {
        switch (offer, delivery) {
        case (.data, .data): .handOverData
        case (.data, .copy), (.data, .inPlace): .writeDataToFile
        case (.file, .data): .readFile
        case (.file, .copy), (.file(inPlace: false), .inPlace): .copyFile
        case (.file(inPlace: true), .inPlace): isOriginalReachable() ? .openOriginal : .copyFile
        case (.directory, .data): .zipDirectory
        case (.directory, .copy), (.directory, .inPlace): .copyTree
        }
    }
}

extension BridgingPlan.Offer {
    package init(_ supply: Supply) {
        switch supply {
        case .bytes, .memory: self = .data
        case .file(let file) where file.isDirectory: self = .directory(inPlace: file.isOfferedInPlace)
        case .file(let file): self = .file(inPlace: file.isOfferedInPlace)
        }
    }
}

extension SuppliedFile {
    /// Whether this process can open the offered file by its path, and finds the same file there.
    package var isReachable: Bool {
        guard let path, let offered = try? descriptor.status().identity,
            let reopened = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]),
            let found = try? reopened.status().identity
        else { return false }
        return offered == found
    }
}
