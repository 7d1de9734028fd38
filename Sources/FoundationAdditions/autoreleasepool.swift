/// Calls `body` and returns its result.
///
/// There are no autoreleased objects on Linux: the last reference destroys an object.
///
/// Source: ObjectiveC, which Foundation exports.
public func autoreleasepool<Result, Failure: Error>(invoking body: () throws(Failure) -> Result) throws(Failure)
    -> Result
{
    try body()
}
