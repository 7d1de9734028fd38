// Foundation comes with every module, and with this one URLSession.
import FileProvider

func request(_ identifier: NSFileProviderItemIdentifier) -> URLRequest? {
    URL(string: "https://example.org/")
        .map { URLRequest(url: $0.appendingPathComponent(identifier.rawValue)) }
}
