package io.rdma.internal.soft.objects;

/** An object with a handle. {@code users} counts the objects created from it, under the lock of {@code SoftVerbs}. */
public abstract class SoftObject {
    public long handle;
    public int users;

    /** Returns the structure of C that the object stands for, such as {@code ibv_pd}. */
    public abstract String struct();
}
