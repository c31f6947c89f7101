package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.SoftVerbs;

/** Anything with a handle. {@code users} counts what was made from it, guarded by the lock of {@link SoftVerbs}. */
public abstract class SoftObject {
    public long handle;
    public int users;
}
