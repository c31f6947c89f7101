package io.rdma.internal.soft;

/** A completion channel. */
final class SoftCompChannel extends SoftObject {
    final SoftContext context;
    final EventQueue<SoftCq> events = new EventQueue<>();

    SoftCompChannel(SoftContext context) {
        this.context = context;
    }
}
