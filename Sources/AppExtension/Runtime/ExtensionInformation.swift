import Foundation
import PropertyLists

/// What the property list of an extension's bundle says, in Apple's keys.
package struct ExtensionInformation: Sendable {
    /// One thing that is wrong with a bundle, in words for people.
    package struct Fault: Error, Equatable, Sendable, CustomStringConvertible, LocalizedError {
        package let description: String

        package init(_ description: String) { self.description = description }

        package var errorDescription: String? { description }
    }

    /// `CFBundleIdentifier`.
    package let identifier: String
    /// `CFBundleDisplayName`, else `CFBundleName`, else the identifier.
    package let name: String
    /// `CFBundleExecutable`, a name within the bundle.
    package let executable: String
    /// `NSExtensionPointIdentifier`, such as `com.apple.share-services`.
    package let point: String
    /// `NSExtensionPrincipalClass`.
    package let principalClass: String
    /// `NSExtensionActivationRule`; `nil` when there is none, which fits nothing.
    package let activationRule: ActivationRule?
    /// `PurveyAllowsNetwork` of the `NSExtension` dictionary: whether the extension may use the network.
    package let allowsNetwork: Bool
    /// The bundle's folder.
    package let folder: String

    /// The bundle that an executable lies in.
    package init(bundleOf executable: String) throws(Fault) {
        try self.init(folder: (executable as NSString).deletingLastPathComponent)
    }

    /// Reads a bundle; throws the first of its faults.
    package init(folder: String) throws(Fault) {
        let (information, faults) = Self.inspect(folder)
        guard let information, faults.isEmpty else {
            throw faults.first ?? Fault("\(folder) is no extension")
        }
        self = information
    }

    /// Reads a bundle and finds every fault of it.
    package static func inspect(_ folder: String) -> (information: ExtensionInformation?, faults: [Fault]) {
        var faults: [Fault] = []
        let path = folder + "/Info.plist"
        guard let data = FileManager.default.contents(atPath: path) else {
            return (nil, [Fault("\(path) cannot be read")])
        }
        guard let information = ForeignPropertyList.dictionary(data) else {
            return (nil, [Fault("\(path) is not a property list of a bundle")])
        }
        func text(_ values: [String: Any], _ key: String, _ place: String) -> String {
            switch values[key] {
            case let text as String where !text.isEmpty: return text
            case nil: faults.append(Fault("\(place)\(key) is missing"))
            default: faults.append(Fault("\(place)\(key) is not a text"))
            }
            return ""
        }
        let identifier = text(information, "CFBundleIdentifier", "")
        if !identifier.isEmpty, !isIdentifier(identifier) {
            faults.append(
                Fault("CFBundleIdentifier \"\(identifier)\" has characters other than letters, digits, '.' and '-'"))
        }
        let executable = text(information, "CFBundleExecutable", "")
        if executable.contains("/") {
            faults.append(Fault("CFBundleExecutable \"\(executable)\" is not a name within the bundle"))
        } else if !executable.isEmpty, access("\(folder)/\(executable)", X_OK) != 0 {
            faults.append(Fault("the executable \(folder)/\(executable) is missing, or may not be run"))
        }
        guard let values = information["NSExtension"] as? [String: Any] else {
            faults.append(Fault("NSExtension is missing, or not a dictionary"))
            return (nil, faults)
        }
        let point = text(values, "NSExtensionPointIdentifier", "NSExtension: ")
        let principal = text(values, "NSExtensionPrincipalClass", "NSExtension: ")
        var rule: ActivationRule?
        if let stored = (values["NSExtensionAttributes"] as? [String: Any])?["NSExtensionActivationRule"] {
            do throws(ActivationRule.Fault) {
                rule = try ActivationRule(stored)
            } catch {
                faults.append(Fault("NSExtensionActivationRule: \(error)"))
            }
        }
        let name = information["CFBundleDisplayName"] as? String ?? information["CFBundleName"] as? String
        return (
            ExtensionInformation(
                identifier: identifier, name: name ?? identifier, executable: executable, point: point,
                principalClass: principal, activationRule: rule,
                allowsNetwork: values["PurveyAllowsNetwork"] as? Bool ?? false, folder: folder), faults
        )
    }

    private init(
        identifier: String, name: String, executable: String, point: String, principalClass: String,
        activationRule: ActivationRule?, allowsNetwork: Bool, folder: String
    ) {
        self.identifier = identifier
        self.name = name
        self.executable = executable
        self.point = point
        self.principalClass = principalClass
        self.activationRule = activationRule
        self.allowsNetwork = allowsNetwork
        self.folder = folder
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count <= 200 && !text.hasPrefix(".")
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-".unicodeScalars.contains($0))
            }
    }
}
