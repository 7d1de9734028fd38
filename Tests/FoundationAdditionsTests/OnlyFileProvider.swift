// Every module exports Foundation, and this one exports URLSession as well.
import FileProvider

func request(_ identifier: NSFileProviderItemIdentifier) -> URLRequest? {
    URL(string: "https://example.org/")
        .map { URLRequest(url: $0.appendingPathComponent(identifier.rawValue)) }
}
