import CCurl

// libcurl passes these functions the transfer, which is alive while its handle is in the multi handle.

extension Transfer {
    static let begin: ccurl_start_function = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let isPermitted = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().begin()
        return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    static let receiveBytes: ccurl_transfer_function = { bytes, size, count, context in
        guard let context, let bytes else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    static let receiveLine: ccurl_transfer_function = { bytes, size, count, context in
        guard let context, let bytes else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        let raw = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return raw.withMemoryRebound(to: UInt8.self) { transfer.receiveHeader($0) } ? size * count : 0
    }

    static let sendBytes: ccurl_transfer_function = { bytes, size, count, context in
        guard let context, let bytes else { return ccurl_read_abort }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    /// Sets the position in the request's body to its beginning, because libcurl sends the body again.
    static let rewind: ccurl_seek_function = { context, offset, origin in
        guard let context, origin == SEEK_SET, offset >= 0 else { return CURL_SEEKFUNC_FAIL }
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().sendPosition = Int(offset)
        return CURL_SEEKFUNC_OK
    }
}
