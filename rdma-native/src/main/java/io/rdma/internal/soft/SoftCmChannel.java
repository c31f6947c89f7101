package io.rdma.internal.soft;

import io.rdma.internal.ffi.CmEventEntry;

/** Where the events of identifiers go; {@code users} counts those. */
final class SoftCmChannel extends SoftObject {
    final EventQueue<CmEventEntry> events = new EventQueue<>();
}
