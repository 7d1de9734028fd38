import Foundation
import Images
import ItemProvider

/// How an item would like to be shown. Within one process: what crosses to another are the item's types, its name and what is
/// loaded of it.
///
/// Source: UIKit, `NSItemProvider+UIKitAdditions.h`.
extension NSItemProvider {
    /// How an item is shown in a text.
    public enum PreferredPresentationStyle: Int, Sendable {
        /// As it comes.
        case unspecified = 0
        /// As part of the text.
        case inline = 1
        /// As something attached to it.
        case attachment = 2
    }

    /// The size in points at which the item would like to be shown; zero where it does not matter.
    public var preferredPresentationSize: CGSize {
        get { promise.presentation.size }
        set { promise.presentation.size = newValue }
    }

    /// How the item would like to be shown.
    public var preferredPresentationStyle: PreferredPresentationStyle {
        get { PreferredPresentationStyle(rawValue: promise.presentation.style) ?? .unspecified }
        set { promise.presentation.style = newValue.rawValue }
    }
}

/// What a program for the Mac knows of where an item comes from.
///
/// Source: AppKit, `NSItemProvider+AppKitAdditions.h`.
extension NSItemProvider {
    /// Where the item was on the screen; zero where that is not known, as from another process.
    public package(set) var sourceFrame: NSRect {
        get { promise.presentation.sourceFrame }
        set { promise.presentation.sourceFrame = newValue }
    }

    /// Where what the item was in is on the screen; zero where that is not known, as from another process.
    public package(set) var containerFrame: NSRect {
        get { promise.presentation.containerFrame }
        set { promise.presentation.containerFrame = newValue }
    }
}

/// A class that knows at which size its objects would like to be shown.
@MainActor public protocol UIItemProviderPresentationSizeProviding: NSObjectProtocol {
    /// The size in points.
    var preferredPresentationSizeForItemProvider: CGSize { get }
}

extension UIImage: UIItemProviderPresentationSizeProviding {
    /// The picture's own size.
    @MainActor public var preferredPresentationSizeForItemProvider: CGSize { size }
}
