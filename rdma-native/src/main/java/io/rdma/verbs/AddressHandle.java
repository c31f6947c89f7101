package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;

/**
 * An address handle, {@code ibv_create_ah(3)}: the path to a destination of datagrams. Close it before its protection
 * domain, and only when no work request that names it is in flight. Any thread.
 */
public final class AddressHandle extends NativeObject {
    private final AddressHandleAttributes attributes;

    AddressHandle(Verbs verbs, long handle, AddressHandleAttributes attributes) {
        super(verbs, handle);
        this.attributes = attributes;
    }

    /**
     * Returns the path from which this handle was created.
     *
     * @return the attributes
     */
    public AddressHandleAttributes attributes() {
        return attributes;
    }

    @Override
    void destroy(long handle) {
        verbs.destroyAh(handle);
    }
}
