package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;

/**
 * A destination of datagrams, {@code ibv_create_ah(3)}. Close it only when no request that names it is in flight, and
 * before its domain. Any thread.
 */
public final class AddressHandle extends NativeObject {
    private final AddressHandleAttributes attributes;

    AddressHandle(Verbs verbs, long handle, AddressHandleAttributes attributes) {
        super(verbs, handle);
        this.attributes = attributes;
    }

    /**
     * The path that it was made of.
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
