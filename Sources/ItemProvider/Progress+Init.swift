import Foundation

extension Progress {
    /// Creates a progress without a parent and without any units. `Progress()` resolves to it: Foundation on Linux
    /// has no initializer without arguments, and its own cannot be overridden from outside.
    public convenience init(_unused: Void = ()) {
        self.init(parent: nil, userInfo: nil)
    }
}
