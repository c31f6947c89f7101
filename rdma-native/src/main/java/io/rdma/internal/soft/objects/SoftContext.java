package io.rdma.internal.soft.objects;

import io.rdma.internal.ibv.AsyncEventEntry;

/** An open device, with the asynchronous events of the objects created from it. */
public final class SoftContext extends SoftObject {
    public final Device device;
    private final EventQueue<AsyncEventEntry> events;

    public SoftContext(Device device) {
        this.device = device;
        events = new EventQueue<>(device.environment());
    }

    @Override
    public String struct() {
        return "ibv_context";
    }

    public EventQueue<AsyncEventEntry> events() {
        return events;
    }

    /** Reports an event of an object. Device thread. */
    public void tell(int eventType, SoftObject element, int number) {
        events.add(new AsyncEventEntry(eventType, element.handle, number));
    }

    /** Reports an event of the device (number 0) or of one of its ports. Any thread. */
    public void tell(int eventType, int number) {
        events.add(new AsyncEventEntry(eventType, 0, number));
    }

    /** Drops the untaken events of a destroyed object. */
    public void forget(SoftObject element) {
        events.forget(event -> event.element() == element.handle);
    }
}
