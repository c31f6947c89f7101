package io.rdma.internal.soft.objects;

/** Factory for the two sides of a queue pair's transport. */
public interface TransportFactory {
    /** Creates the side that sends requests. */
    SendSide requester(SoftQp qp);

    /** Creates the side that answers requests. */
    ReceiveSide responder(SoftQp qp);
}
