// `purvey-pictures`: decodes untrusted pictures in a separate process, which may crash and has no access to files or
// the network. The daemon starts this program confined, with one end of a socket as descriptor 3, and ends it when it
// is idle.
import Conduit
import FileProviderWire
import Foundation
import Glibc
import Images
import LinuxSystem
import ProgramManuals

/// The maximum number of pixels of a picture from which thumbnails are created.
let mostPixels = 1 << 25

/// Makes thumbnails of a picture; see ``ShrinkPictureCall``.
func shrink(_ request: ShrinkPictureCall) throws -> ShrinkPictureCall.Reply {
    let size = try request.picture.status().size
    guard MemoryFile.isSealed(request.picture), size <= ProviderThumbnailsCall.largestPicture else {
        throw ImageError.unknownFormat
    }
    let mapping = try Mapping(request.picture, size: size)
    let data = Data(mapping.bytes)
    let header = try ImageCodec.header(of: data)
    let (pixels, overflows) = header.width.multipliedReportingOverflow(by: header.height)
    guard !overflows, pixels <= mostPixels else { throw ImageError.tooLarge(pixels: pixels, limit: mostPixels) }
    let pictures = try ImageCodec.quickThumbnails(data, sides: request.sides)
    let file = try MemoryFile.sealed(name: "purvey-pictures") { file throws(Errno) in
        for picture in pictures {
            let result = picture.withUnsafeBytes { bytes in Result { () throws(Errno) in try file.writeAll(bytes) } }
            try result.get()
        }
    }
    return ShrinkPictureCall.Reply(file: file, sizes: pictures.map(\.count))
}

extension ImageError {
    fileprivate var isOfThisMachine: Bool { if case .unavailable = self { true } else { false } }
}

let manual = ProgramManual(
    name: "purvey-pictures",
    summary: "make thumbnails of pictures for the daemon of Purvey", usage: ["[--help] [--version]"],
    text: """
        Makes thumbnails of large pictures that services send. It is a process without access to files and network, because
        an untrusted picture may crash the decoder.

        It is not started by hand. purveyd starts it when there is a picture to decode, with a socket as descriptor 3.
        """)

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments.dropFirst()
if let status = manual.answer(arguments) { exit(status) }
if let extra = arguments.first { exit(manual.refuse(extra)) }
var service = Service()
service.on(ShrinkPictureCall.self) { request, call in
    HandlerThreads.shared.run {
        do {
            call.reply(try shrink(request))
        } catch let error as ImageError where error.isOfThisMachine {
            call.fail(
                domain: ShrinkPictureCall.errorDomain, code: ShrinkPictureCall.unavailable, message: "\(error)")
        } catch {
            call.fail(domain: ShrinkPictureCall.errorDomain, code: 1, message: "\(error)")
        }
    }
}
guard fcntl(3, F_GETFD) >= 0, let socket = try? SequencedPacketSocket(checking: FileDescriptor(owning: 3)),
    let connection = try? Connection(socket, service: service)
else { exit(manual.misuse("this program is started by purveyd")) }
connection.onClose { _ in exit(0) }
while true { pause() }
