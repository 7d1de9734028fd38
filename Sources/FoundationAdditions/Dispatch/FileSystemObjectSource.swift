import Dispatch

/// A source that consists of an inotify watch and of a Dispatch source for the descriptor of the watch. If the watch
/// cannot be created, the source has no events.
final class FileSystemObjectSource: DispatchSourceFileSystemObject {
    let handle: Int32
    let mask: DispatchSource.FileSystemEvent
    private let watch: InodeWatch?
    private let source: any DispatchSourceProtocol

    init(_ descriptor: Int32, _ mask: DispatchSource.FileSystemEvent, _ queue: DispatchQueue?) {
        handle = descriptor
        self.mask = mask
        watch = InodeWatch(of: descriptor)
        if let watch {
            source = DispatchSource.makeReadSource(fileDescriptor: watch.descriptor, queue: queue)
        } else {
            source = DispatchSource.makeUserDataAddSource(queue: queue)
        }
        // Events must be read even without a handler. Otherwise, the descriptor stays readable and the source fires
        // endlessly.
        setEventHandler(qos: .unspecified, flags: [], handler: nil)
    }

    var data: DispatchSource.FileSystemEvent { watch?.events ?? [] }
    var isCancelled: Bool { source.isCancelled }

    // The event handler retains the watch, so that the descriptor of the watch is closed only after Dispatch has
    // released the handler.
    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?) {
        source.setEventHandler(qos: qos, flags: flags) { [watch, mask] in
            if watch?.read(mask) == true { handler?() }
        }
    }

    func setEventHandler(handler: DispatchWorkItem) {
        setEventHandler(qos: .unspecified, flags: []) { handler.perform() }
    }

    func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?) {
        source.setCancelHandler(qos: qos, flags: flags, handler: handler)
    }

    func setCancelHandler(handler: DispatchWorkItem) { source.setCancelHandler(handler: handler) }

    func setRegistrationHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?) {
        source.setRegistrationHandler(qos: qos, flags: flags, handler: handler)
    }

    func setRegistrationHandler(handler: DispatchWorkItem) { source.setRegistrationHandler(handler: handler) }

    func activate() { source.activate() }
    func resume() { source.resume() }
    func suspend() { source.suspend() }
    func cancel() { source.cancel() }
}
