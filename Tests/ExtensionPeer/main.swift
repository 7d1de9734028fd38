// An extension for tests, which executes the command in the first item's title.
import AppExtension
import Foundation
import Glibc
import ItemProvider
import UniformTypeIdentifiers

/// The principal class. Like most principal classes, it is neither public nor declares an `init()`.
final class Principal: NSObject, NSExtensionRequestHandling {
    private var count = 0

    func beginRequest(with context: NSExtensionContext) {
        count += 1
        let item = context.inputItems.first as? NSExtensionItem
        switch item?.attributedTitle?.string ?? "nothing" {
        case "echo":
            context.completeRequest(returningItems: context.inputItems)
        case "upper":
            upper(item?.attachments?.first, context)
        case "cancel":
            context.cancelRequest(
                withError: NSError(domain: "Peer", code: 7, userInfo: [NSLocalizedDescriptionKey: "no thanks"]))
        case "twice":
            context.completeRequest(returningItems: [returned("first")])
            context.completeRequest(returningItems: [returned("second")])
            context.cancelRequest(withError: CocoaError(.coderInvalidValue))
        case "crash":
            abort()
        case "exit":
            exit(0)
        case "observe":
            Witness.shared.observe()
            context.completeRequest(returningItems: nil)
        case "observed":
            context.completeRequest(returningItems: [returned(Witness.shared.notification)])
        case "hold":
            Witness.shared.hold(context)
        case "held":
            context.completeRequest(returningItems: [returned("\(Witness.shared.isHolding)")])
        case "let go":
            Witness.shared.letGo { expired in
                let item = NSExtensionItem()
                item.attributedContentText = NSAttributedString(string: "\(expired)")
                context.completeRequest(returningItems: [item])
            }
        case "load":
            load(item?.attachments?.first, context)
        case "never":
            break
        case "open":
            context.open(URL(fileURLWithPath: "/tmp")) { wasOpened in
                let item = NSExtensionItem()
                item.attributedContentText = NSAttributedString(string: "\(wasOpened)")
                context.completeRequest(returningItems: [item])
            }
        case "garbage":
            context.completeRequest(returningItems: ["no item", 7, returned("good")])
        case "count":
            context.completeRequest(returningItems: [returned("\(context.inputItems.count) \(count)")])
        case "nil":
            context.completeRequest(returningItems: nil)
        case _ where item?.attachments?.first?.suggestedName?.hasPrefix("without reply") == true:
            context.completeRequest(returningItems: nil)
        case _ where item?.attachments?.first?.hasItemConformingToTypeIdentifier("public.folder") == true:
            list(item?.attachments?.first, context)
        case _ where item?.attachments?.first?.hasItemConformingToTypeIdentifier("public.plain-text") == true:
            connect(context)
        default:
            context.completeRequest(returningItems: [returned("empty-handed \(context.inputItems.count)")])
        }
    }

    private func upper(_ provider: NSItemProvider?, _ context: NSExtensionContext) {
        guard let provider, provider.hasItemConformingToTypeIdentifier("public.text") else {
            return context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
        }
        provider.loadItem(forTypeIdentifier: "public.text") { item, error in
            guard let text = item as? NSString else {
                return context.cancelRequest(withError: error ?? CocoaError(.coderInvalidValue))
            }
            let answer = NSExtensionItem()
            answer.attachments = [
                NSItemProvider(item: (text as String).uppercased() as NSString, typeIdentifier: "public.text")
            ]
            context.completeRequest(returningItems: [answer])
        }
    }

    /// Cancels the request with the error of a connection to a port at which no server listens.
    private func connect(_ context: NSExtensionContext) {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard file >= 0 else {
            return context.cancelRequest(withError: NSError(domain: NSPOSIXErrorDomain, code: Int(errno)))
        }
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(1).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        context.cancelRequest(withError: NSError(domain: NSPOSIXErrorDomain, code: Int(errno)))
    }

    /// Completes the request with the text of a file.
    private func load(_ provider: NSItemProvider?, _ context: NSExtensionContext) {
        _ = provider?.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
            guard let data else { return context.cancelRequest(withError: error ?? CocoaError(.fileNoSuchFile)) }
            let item = NSExtensionItem()
            item.attributedContentText = NSAttributedString(string: String(decoding: data, as: UTF8.self))
            context.completeRequest(returningItems: [item])
        }
    }

    /// Completes the request with the paths in the extension's copy of a directory.
    private func list(_ provider: NSItemProvider?, _ context: NSExtensionContext) {
        provider?.loadFileRepresentation(forTypeIdentifier: "public.folder") { url, error in
            let item = NSExtensionItem()
            do {
                guard let url else { throw error ?? CocoaError(.fileNoSuchFile) }
                let names = try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
                item.attributedContentText = NSAttributedString(string: "folder: " + names.joined(separator: " "))
                context.completeRequest(returningItems: [item])
            } catch {
                context.cancelRequest(withError: error)
            }
        }
    }

    private func returned(_ text: String) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attributedContentText = NSAttributedString(string: text)
        return item
    }
}

NSExtensionMain()
