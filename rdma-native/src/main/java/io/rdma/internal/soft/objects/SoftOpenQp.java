package io.rdma.internal.soft.objects;

/** A target queue pair of an XRC domain as a caller has opened it that did not create it. */
public final class SoftOpenQp extends SoftObject {
    public final SoftQp target;
    public final SoftXrcd xrcd; // by which it was opened

    public SoftOpenQp(SoftQp target, SoftXrcd xrcd) {
        this.target = target;
        this.xrcd = xrcd;
    }

    @Override
    public String struct() {
        return "ibv_qp";
    }
}
