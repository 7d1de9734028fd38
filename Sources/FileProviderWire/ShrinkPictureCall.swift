import Conduit
import LinuxSystem

/// A request for smaller versions of a picture, as PNG files. It is sent to the program that decodes pictures.
package struct ShrinkPictureCall: Call, SchemaMessage {
    package static var method: UInt64 { 1 }
    /// The error code that means that the program cannot decode any picture. Other codes concern the given picture.
    package static let unavailable: Int64 = 2
    /// The maximum number of smaller pictures in one request.
    private static let mostSides = 16
    /// A sealed memory file with the picture. Its bytes are not trusted.
    package let picture: FileDescriptor
    /// For each wanted smaller picture, the maximum length of its longer side in pixels; in ascending order.
    package let sides: [Int]

    package init(picture: FileDescriptor, sides: [Int]) {
        self.picture = picture
        self.sides = sides
    }

    package static let schema = Schema(Self.init, Field(0, \.picture), Field(1, \.sides))
        .checked { call throws(MessageError) in
            guard call.sides.count <= mostSides, call.sides.allSatisfy({ 1...8192 ~= $0 }) else {
                throw .invalid("\(call.sides.count) pictures, or one of no such size")
            }
        }

    package struct Reply: SchemaMessage {
        /// A sealed memory file with the smaller pictures, one after the other.
        package let file: FileDescriptor
        /// The size of each smaller picture in bytes, in the order of the request's sides. The list ends with the first
        /// side into which the picture fits without scaling. The last smaller picture serves all longer sides, too.
        package let sizes: [Int]

        package init(file: FileDescriptor, sizes: [Int]) {
            self.file = file
            self.sizes = sizes
        }

        package static let schema = Schema(Self.init, Field(0, \.file), Field(1, \.sizes))
    }

    /// The maximum number of bytes of all smaller pictures together. This is enough for a few pictures with sides of a
    /// thousand pixels.
    package static let mostBytes = 16 << 20
    /// The error domain of failures to decode a picture.
    package static let errorDomain = "PurveyPicture"
}
