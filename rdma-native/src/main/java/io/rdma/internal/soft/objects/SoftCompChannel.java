package io.rdma.internal.soft.objects;

/** A completion channel. */
public final class SoftCompChannel extends SoftObject {
    public final SoftContext context;
    public final EventQueue<SoftCq> events;

    public SoftCompChannel(SoftContext context) {
        this.context = context;
        events = new EventQueue<>(context.device.environment());
    }

    @Override
    public String struct() {
        return "ibv_comp_channel";
    }
}
