package io.rdma.internal.soft;

/** An opened device. */
final class SoftContext extends SoftObject {}
