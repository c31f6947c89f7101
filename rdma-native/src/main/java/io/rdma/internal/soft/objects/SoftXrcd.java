package io.rdma.internal.soft.objects;

/** An XRC domain: its target queue pairs use its shared receive queues. */
public final class SoftXrcd extends SoftObject {
    public final SoftContext context;

    public SoftXrcd(SoftContext context) {
        this.context = context;
    }

    @Override
    public String struct() {
        return "ibv_xrcd";
    }
}
