package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.SoftVerbs;

/** An object with a handle. {@code users} counts the objects created from it, under the lock of {@link SoftVerbs}. */
public abstract class SoftObject {
    public long handle;
    public int users;
}
