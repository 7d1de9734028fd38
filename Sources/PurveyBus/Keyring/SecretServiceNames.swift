import Secrets

/// The names of the Secret Service, the interface of desktops' keyrings
/// (https://specifications.freedesktop.org/secret-service).
enum SecretServiceNames {
    static let name = "org.freedesktop.secrets"
    static let root = RemoteObject(name: name, path: "/org/freedesktop/secrets")
    static let service = "org.freedesktop.Secret.Service."
    static let collection = "org.freedesktop.Secret.Collection"
    static let item = "org.freedesktop.Secret.Item."
    static let session = "org.freedesktop.Secret.Session."
    static let prompt = "org.freedesktop.Secret.Prompt"
    /// The parameters of a secret in a plain session.
    static let noParameters = SecretBytes(copying: UnsafeRawBufferPointer(start: nil, count: 0))
    /// The path that denotes no object.
    static let noPath = "/"

    static func object(_ path: String) -> RemoteObject { RemoteObject(name: name, path: path) }

    /// Returns the attributes by which the items of a store are found. The keyring does not encrypt these attributes.
    static func attributes(store: String, identifier: String?) -> BusValue {
        var pairs = [("xdg:schema", "org.purvey.Purvey.Key"), ("store", store)]
        if let identifier { pairs.append(("key", identifier)) }
        return .dictionary(of: "ss", pairs.map { (.string($0.0), .string($0.1)) })
    }
}
