package io.rdma.internal.ffi;

/**
 * {@code struct ibv_async_event}, {@code ibv_get_async_event(3)}, copied before it was acknowledged.
 *
 * @param eventType {@code IBV_EVENT_*} of {@link Ibv}
 * @param element handle of the queue pair, completion queue, shared receive queue or work queue; 0 for events of a port
 *     or the device. Only good for comparing: the object may be destroyed by now
 * @param number the queue pair's number or the port's; 0 for other events
 */
public record AsyncEventEntry(int eventType, long element, int number) {}
