package io.rdma.internal.ffi;

import java.security.SecureRandom;

/** Numbers that nobody can guess. One source for all: the first one looks for its provider among a hundred classes, which {@link Preparation} has done beside. Thread-safe. */
public final class Unguessable {
    /** The one source. */
    public static final SecureRandom RANDOM = new SecureRandom();

    private Unguessable() {}
}
