import FileProvider
import Foundation
import FoundationNetworking
import Glibc

/// A download of ``size`` bytes by a task that is registered for an item. The server is a thread of this process. It
/// sends half of the bytes, and the rest when the test has created the file `send-rest` in the domain's directory.
final class RegisteredDownload: NSObject, URLSessionDownloadDelegate {
    static let size = 400_000
    private let done: (Result<URL, any Error>) -> Void

    static func begin(
        _ identifier: String, _ manager: NSFileProviderManager, _ folder: URL,
        _ done: @escaping (Result<URL, any Error>) -> Void
    ) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/") else {
            return done(.failure(CocoaError(.fileReadUnknown)))
        }
        Thread.detachNewThread { serve(listener, folder.path + "/send-rest") }
        let session = URLSession(configuration: .ephemeral, delegate: RegisteredDownload(done), delegateQueue: nil)
        let task = session.downloadTask(with: url)
        manager.register(task, forItemWithIdentifier: NSFileProviderItemIdentifier(identifier)) { error in
            if let error { return done(.failure(error)) }
            task.resume()
            session.finishTasksAndInvalidate()
        }
    }

    private init(_ done: @escaping (Result<URL, any Error>) -> Void) { self.done = done }

    private static func serve(_ listener: Int32, _ permission: String) {
        let client = accept(listener, nil, nil)
        var request = [UInt8](repeating: 0, count: 4096)
        _ = read(client, &request, request.count)
        write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nConnection: close\r\n\r\n".utf8, to: client)
        write(repeatElement(UInt8(ascii: "x"), count: size / 2), to: client)
        while access(permission, F_OK) != 0 { usleep(10_000) }
        write(repeatElement(UInt8(ascii: "x"), count: size / 2), to: client)
        close(client)
        close(listener)
    }

    private static func write(_ bytes: some Sequence<UInt8>, to client: Int32) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) { done(.success(location)) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { done(.failure(error)) }
    }
}
