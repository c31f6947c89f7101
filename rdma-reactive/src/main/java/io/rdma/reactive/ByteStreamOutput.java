package io.rdma.reactive;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** Output of an {@link RdmaByteStream} as a stream that waits. */
final class ByteStreamOutput extends OutputStream {
    private final RdmaByteStream stream;

    ByteStreamOutput(RdmaByteStream stream) {
        this.stream = stream;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        ByteBuffer rest = ByteBuffer.wrap(bytes, offset, length);
        long turn = stream.output().begin();
        try {
            while (rest.hasRemaining()) {
                if (!stream.output().put(turn, rest)) {
                    stream.awaitBuffer(turn).block();
                }
            }
        } catch (RuntimeException e) {
            throw failure(e, rest.position() - offset);
        }
    }

    @Override
    public void flush() throws IOException {
        await(stream.flush());
    }

    @Override
    public void close() throws IOException {
        await(stream.end());
    }

    private static void await(Mono<Void> step) throws IOException {
        try {
            step.block();
        } catch (RuntimeException e) {
            throw failure(e, 0);
        }
    }

    /** Returns the error of a call that copied some bytes into send buffers. An interrupted one may be called again. */
    private static IOException failure(RuntimeException error, int written) {
        if (error.getCause() instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting to write");
            interrupted.bytesTransferred = written;
            interrupted.initCause(error);
            return interrupted;
        }
        return new IOException("the stream cannot be written: " + error.getMessage(), error);
    }
}
