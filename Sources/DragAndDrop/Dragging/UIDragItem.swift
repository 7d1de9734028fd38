import Foundation
import ItemProvider

/// One dragged item.
///
/// Source: UIKit, `UIDragItem.h`, without the parts that depend on views.
@MainActor open class UIDragItem: NSObject {
    /// The representations of the item.
    open private(set) var itemProvider: NSItemProvider
    /// Any value of the program, for a drop within the same program. Other processes do not see it.
    open var localObject: Any?

    /// Creates an item to drag.
    public init(itemProvider: NSItemProvider) {
        self.itemProvider = itemProvider
        super.init()
    }
}
