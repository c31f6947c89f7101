package io.rdma.internal.ibv;

/**
 * A copy of {@code struct ibv_async_event}, {@code ibv_get_async_event(3)}, made before the event was acknowledged.
 *
 * @param eventType {@code IBV_EVENT_*} of {@link Ibv}
 * @param element handle of the queue pair, completion queue, shared receive queue or work queue; 0 for events of a port
 *     or the device. Use it only for comparison: the object may have been destroyed
 * @param number number of the queue pair or port; 0 for other events
 */
public record AsyncEventEntry(int eventType, long element, int number) {}
