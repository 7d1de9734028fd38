import Foundation
import ItemProvider

/// A color, by its red, green, blue and alpha, each from 0 to 1.
///
/// This is the class for colors in programs for Apple's platforms. It is immutable, and may be used from any thread.
/// Source: UIKit, `UIColor.h`, the part about data.
public final class UIColor: NSObject, NSSecureCoding, Sendable {
    private let components: [Double]

    /// Creates a color. Components are clamped to 0 to 1.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        components = [red, green, blue, alpha].map { min(max(Double($0), 0), 1) }
        super.init()
    }

    /// Writes the four components to the given addresses; a `nil` address is skipped. Returns `true`.
    @discardableResult
    public func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        for (target, value) in zip([red, green, blue, alpha], components) { target?.pointee = CGFloat(value) }
        return true
    }

    /// Whether another color has the same components.
    public override func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.components == components }

    /// The hash value of the components.
    public override var hash: Int { components.hashValue }

    /// Whether the class supports secure coding: `true`.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the components.
    public func encode(with coder: NSCoder) { coder.encode(data as NSData, forKey: "components") }

    /// Creates a color from the components in an archive; `nil` if the archive has none.
    public convenience init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "components") else { return nil }
        self.init(Data(referencing: data))
    }

    /// The components as text, such as `0.5 0 0 1`.
    private var data: Data { Data(components.map { "\($0)" }.joined(separator: " ").utf8) }

    private convenience init?(_ data: Data) {
        let numbers = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite) else { return nil }
        self.init(red: numbers[0], green: numbers[1], blue: numbers[2], alpha: numbers[3])
    }
}

/// Colors are sent to other processes as the text of their components.
extension UIColor: NSItemProviderReading, NSItemProviderWriting {
    private static let typeIdentifier = "com.apple.uikit.color"

    /// The type of a color's data: `com.apple.uikit.color`.
    public static var writableTypeIdentifiersForItemProvider: [String] { [typeIdentifier] }

    /// The type of a color's data: `com.apple.uikit.color`.
    public static var readableTypeIdentifiersForItemProvider: [String] { [typeIdentifier] }

    /// Passes the text of the components to the completion handler.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completionHandler(data, nil)
        return nil
    }

    /// Creates a color from its components. Throws `unavailableCoercionError` for other bytes.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard let color = UIColor(data) as? Self else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return color
    }
}
