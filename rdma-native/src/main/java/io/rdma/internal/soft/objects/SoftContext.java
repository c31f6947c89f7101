package io.rdma.internal.soft.objects;

import io.rdma.internal.ffi.AsyncEventEntry;

/** An opened device, and the asynchronous events of what was made from it. */
public final class SoftContext extends SoftObject {
    public final Device device;
    private final EventQueue<AsyncEventEntry> events = new EventQueue<>();

    public SoftContext(Device device) {
        this.device = device;
    }

    public EventQueue<AsyncEventEntry> events() {
        return events;
    }

    /** Tells of an object. Device thread. */
    public void tell(int eventType, SoftObject element, int number) {
        events.add(new AsyncEventEntry(eventType, element.handle, number));
    }

    /** Tells of the device (number 0) or a port of it. Any thread. */
    public void tell(int eventType, int number) {
        events.add(new AsyncEventEntry(eventType, 0, number));
    }

    /** Drops what nobody took of an object that is destroyed. */
    public void forget(SoftObject element) {
        events.forget(event -> event.element() == element.handle);
    }
}
