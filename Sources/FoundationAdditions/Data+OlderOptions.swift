// In a file of its own because nothing else in this module extends Data.
import Foundation

/// Names that reading options had before Swift 3, which programs still use.
extension Data.ReadingOptions {
    /// The same as `mappedIfSafe`.
    public static var dataReadingMapped: Data.ReadingOptions { .mappedIfSafe }
    /// The same as `mappedIfSafe`.
    public static var dataReadingMappedIfSafe: Data.ReadingOptions { .mappedIfSafe }
    /// The same as `mappedIfSafe`.
    public static var mappedRead: Data.ReadingOptions { .mappedIfSafe }
    /// The same as `alwaysMapped`.
    public static var dataReadingMappedAlways: Data.ReadingOptions { .alwaysMapped }
    /// The same as `uncached`.
    public static var dataReadingUncached: Data.ReadingOptions { .uncached }
    /// The same as `uncached`.
    public static var uncachedRead: Data.ReadingOptions { .uncached }
}

extension Data.WritingOptions {
    /// The same as `atomic`.
    public static var atomicWrite: Data.WritingOptions { .atomic }
    /// The same as `atomic`.
    public static var dataWritingAtomic: Data.WritingOptions { .atomic }
    /// The same as `withoutOverwriting`.
    public static var dataWritingWithoutOverwriting: Data.WritingOptions { .withoutOverwriting }
}
