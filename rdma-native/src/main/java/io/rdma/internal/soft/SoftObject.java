package io.rdma.internal.soft;

/** Anything with a handle. {@code users} counts what was made from it, guarded by the lock of {@link SoftVerbs}. */
abstract class SoftObject {
    long handle;
    int users;
}
