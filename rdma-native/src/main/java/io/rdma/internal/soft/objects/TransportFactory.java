package io.rdma.internal.soft.objects;

/** Maker of the two sides of a queue pair's transport. */
public interface TransportFactory {
    /** Makes the side that sends requests. */
    SendSide requester(SoftQp qp);

    /** Makes the side that answers requests. */
    ReceiveSide responder(SoftQp qp);
}
