package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;

/**
 * A thread domain, {@code ibv_alloc_td(3)}: the application's promise that at most one thread at a time uses the
 * objects that are created in it. The provider then needs no locks for them. It may corrupt a queue or abort the
 * process if the promise is broken. Objects are created in it by
 * {@link ProtectionDomain#allocateParentDomain(ThreadDomain)}.
 */
public final class ThreadDomain extends NativeObject {
    ThreadDomain(Verbs verbs, long handle, OpenObjects siblings) {
        super(verbs, handle, siblings);
    }

    /** Frees the thread domain, {@code ibv_dealloc_td}. Its parent domains must be closed first. */
    @Override
    public void close() {
        super.close();
    }

    @Override
    void destroy(long handle) {
        verbs.optional().deallocTd(handle);
    }
}
