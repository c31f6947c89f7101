package io.rdma.internal.soft;

/** A domain of extended reliable connections: target queue pairs of it use shared receive queues of it. */
final class SoftXrcd extends SoftObject {
    final SoftContext context;

    SoftXrcd(SoftContext context) {
        this.context = context;
    }
}
