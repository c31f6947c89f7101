package io.rdma.internal.soft.cm;

import io.rdma.internal.ffi.CmEventEntry;
import io.rdma.internal.soft.objects.EventQueue;
import io.rdma.internal.soft.objects.SoftObject;

/** Where the events of identifiers go; {@code users} counts those. */
final class SoftCmChannel extends SoftObject {
    final EventQueue<CmEventEntry> events = new EventQueue<>();
}
