// swift-format-ignore-file

// Foundation and URLSession come with the framework, as on Apple's platforms.
import FileProvider

class RemoteFetcher: NSObject {
    let session = URLSession(configuration: .ephemeral)
    let queue = OperationQueue()

    func fetch(_ url: URL, completionHandler: @escaping @Sendable (URL?, Error?) -> Void) -> Progress {
        let progress = Progress(totalUnitCount: 100)
        progress.kind = .file
        progress.fileOperationKind = .downloading
        progress.fileURL = url
        let task = session.downloadTask(with: url) { location, response, error in
            completionHandler(location, error)
        }
        progress.cancellationHandler = { task.cancel() }
        progress.addChild(task.progress, withPendingUnitCount: 100)
        return progress
    }

    func identifier(_ data: Data) -> NSFileProviderItemIdentifier {
        NSFileProviderItemIdentifier(String(decoding: data, as: UTF8.self))
    }

    func parse(_ answer: Data) -> [String] {
        let parser = XMLParser(data: answer)
        let names = NameCollector()
        parser.delegate = names
        parser.parse()
        return names.names
    }
}

private class NameCollector: NSObject, XMLParserDelegate {
    var names: [String] = []

    func parser(_ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?, attributes attributeDict: [String: String] = [:]) {
        names.append(elementName)
    }
}
