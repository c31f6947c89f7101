package io.rdma.internal.soft.objects;

/** A domain of extended reliable connections: target queue pairs of it use shared receive queues of it. */
public final class SoftXrcd extends SoftObject {
    public final SoftContext context;

    public SoftXrcd(SoftContext context) {
        this.context = context;
    }
}
