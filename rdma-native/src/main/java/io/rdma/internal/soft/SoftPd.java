package io.rdma.internal.soft;

/** A protection domain: memory and queue pairs must have the same one. */
final class SoftPd extends SoftObject {
    final SoftContext context;

    SoftPd(SoftContext context) {
        this.context = context;
    }
}
