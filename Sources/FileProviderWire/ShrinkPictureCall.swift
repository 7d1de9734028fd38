import Conduit
import LinuxSystem

/// A request to the program that decodes pictures for smaller versions of a picture, as PNG files.
package struct ShrinkPictureCall: Call, SchemaMessage {
    package static var method: UInt64 { 1 }
    /// The error code for a failure that does not depend on the picture: the program cannot decode any picture.
    package static let unavailable: Int64 = 2
    /// The maximum number of smaller pictures of one picture.
    private static let mostSides = 16
    /// The picture, in a sealed memory file. Its bytes are not trusted.
    package let picture: FileDescriptor
    /// The maximum length of the longer side of each smaller picture, in pixels, in ascending order.
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
        /// A sealed memory file with the pictures, concatenated.
        package let file: FileDescriptor
        /// The byte count of each smaller picture, one per side. The list ends with the first side into which the
        /// picture fits unscaled. The last picture is then used for all longer sides, too.
        package let sizes: [Int]

        package init(file: FileDescriptor, sizes: [Int]) {
            self.file = file
            self.sizes = sizes
        }

        package static let schema = Schema(Self.init, Field(0, \.file), Field(1, \.sizes))
    }

    /// The maximum number of bytes of all smaller pictures together, enough for a few with sides of a thousand pixels.
    package static let mostBytes = 16 << 20
    /// The domain of errors that report that a picture cannot be decoded.
    package static let errorDomain = "PurveyPicture"
}
