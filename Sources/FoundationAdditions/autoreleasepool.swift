/// Calls `body` and returns what it returns.
///
/// Nothing is autoreleased on Linux: objects go when their last reference does.
///
/// Source: ObjectiveC, which Foundation exports.
public func autoreleasepool<Result, Failure: Error>(invoking body: () throws(Failure) -> Result) throws(Failure)
    -> Result
{
    try body()
}
