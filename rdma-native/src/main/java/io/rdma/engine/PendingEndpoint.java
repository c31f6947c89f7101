package io.rdma.engine;

/** An endpoint on its way, from before the first thing it needs of the device until it has joined its loop or failed. See {@link RdmaResources#beginEndpoint}. */
public final class PendingEndpoint implements AutoCloseable {
    private final PendingEndpoints all;
    private final Runnable breakOff;

    PendingEndpoint(PendingEndpoints all, Runnable breakOff) {
        this.all = all;
        this.breakOff = breakOff;
    }

    void breakOff() {
        breakOff.run();
    }

    /** It has joined its loop, or all it made is closed again. A second call does nothing. */
    @Override
    public void close() {
        all.end(this);
    }
}
