package io.rdma.buffer;

import org.jspecify.annotations.Nullable;

/**
 * Failure to decode a message into a value. The message is consumed, and the stream that decoded it ends; the
 * connection stays open, and the next receiver continues with the next message.
 */
public final class MessageDecodingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception of one message.
     *
     * @param message what could not be decoded and what to do
     * @param cause failure of the decoder, or null
     */
    public MessageDecodingException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
