import Dispatch

extension DispatchSource {
    /// Returns a source that watches a file or directory.
    ///
    /// - Parameters:
    ///   - fileDescriptor: the open item. The cancel handler must close it.
    ///   - eventMask: the changes to watch for.
    ///   - queue: the queue for handlers; nil for a global one.
    /// - Returns: a source that must be activated. If the kernel's limit of inotify instances or watches is reached, or
    ///   the descriptor is invalid, the source never calls its event handler.
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        FileSystemObjectSource(fileDescriptor, eventMask, queue)
    }
}

/// A source that watches a file or directory. Dispatch on Linux has no such source. This one uses inotify.
///
/// Source: Dispatch.
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    /// The descriptor of the item.
    var handle: Int32 { get }
    /// The changes since the previous call of the handler.
    var data: DispatchSource.FileSystemEvent { get }
    /// The changes that the source watches for.
    var mask: DispatchSource.FileSystemEvent { get }
    /// Starts watching.
    func activate()
}

/// The functions with which programs set handlers. Dispatch on Linux declares these functions for every source, but its
/// implementations work only for sources of Dispatch's own class.
extension DispatchSourceFileSystemObject {
    /// Sets the event handler.
    public func setEventHandler(handler: DispatchSourceHandler?) {
        setEventHandler(qos: .unspecified, flags: [], handler: handler)
    }

    /// Sets the cancel handler.
    public func setCancelHandler(handler: DispatchSourceHandler?) {
        setCancelHandler(qos: .unspecified, flags: [], handler: handler)
    }

    /// Sets the handler that is called when the source starts watching.
    public func setRegistrationHandler(handler: DispatchSourceHandler?) {
        setRegistrationHandler(qos: .unspecified, flags: [], handler: handler)
    }
}
