package io.rdma.internal.soft.objects;

/** A thread domain. The device locks its queues in any case, so it has only its users. */
public final class SoftTd extends SoftObject {
    public final SoftContext context;

    public SoftTd(SoftContext context) {
        this.context = context;
    }

    @Override
    public String struct() {
        return "ibv_td";
    }
}
