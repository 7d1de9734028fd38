import Dispatch

extension DispatchSource {
    /// Makes a source that watches a file or folder.
    ///
    /// - Parameters:
    ///   - fileDescriptor: the open item. To be closed by the handler of the source's cancellation.
    ///   - eventMask: the changes to watch for.
    ///   - queue: where handlers run; a global one if it is nil.
    /// - Returns: a source that is to be activated. One that cannot watch, because there are too many watches or no such
    ///   descriptor, calls no handler but that of its cancellation.
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        FileSystemObjectSource(fileDescriptor, eventMask, queue)
    }
}

/// A source that watches a file or folder. Dispatch on Linux has none: this one watches with inotify.
///
/// Source: Dispatch.
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    /// The descriptor of the item.
    var handle: Int32 { get }
    /// The changes since the handler was called before.
    var data: DispatchSource.FileSystemEvent { get }
    /// The changes that are watched for.
    var mask: DispatchSource.FileSystemEvent { get }
    /// Begins to watch.
    func activate()
}

/// The form that programs call, as Dispatch has it for every source: its own takes each source for one of its own class.
extension DispatchSourceFileSystemObject {
    /// Sets the handler of changes.
    public func setEventHandler(handler: DispatchSourceHandler?) {
        setEventHandler(qos: .unspecified, flags: [], handler: handler)
    }

    /// Sets the handler of the source's cancellation.
    public func setCancelHandler(handler: DispatchSourceHandler?) {
        setCancelHandler(qos: .unspecified, flags: [], handler: handler)
    }

    /// Sets the handler that is called when the source begins to watch.
    public func setRegistrationHandler(handler: DispatchSourceHandler?) {
        setRegistrationHandler(qos: .unspecified, flags: [], handler: handler)
    }
}
