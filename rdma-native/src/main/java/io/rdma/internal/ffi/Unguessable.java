package io.rdma.internal.ffi;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;

// Invariant: each number is read from the kernel when it is asked for; none is kept here that two could be given.

/**
 * Numbers that nobody can guess, of the kernel, {@code random(4)}: so are {@link SecureRandom}'s, but looking for its provider loads a hundred classes
 * before the first message. Thread-safe.
 */
public final class Unguessable implements RandomGenerator {
    /** The one source. */
    public static final RandomGenerator RANDOM = source();

    private final FileInputStream kernel; // open as long as the process lives

    private Unguessable(FileInputStream kernel) {
        this.kernel = kernel;
    }

    private static RandomGenerator source() {
        try {
            return new Unguessable(new FileInputStream("/dev/urandom"));
        } catch (IOException e) { // not there: another system, or a process that is shut in
            return new SecureRandom();
        }
    }

    @Override
    public long nextLong() {
        byte[] bytes = new byte[Long.BYTES];
        try {
            if (kernel.read(bytes) != bytes.length) { // so few come at once, random(4)
                throw new IOException("/dev/urandom has ended");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.wrap(bytes).getLong();
    }
}
