package io.rdma.internal.soft.transport;

import io.rdma.internal.soft.objects.ReceiveSide;
import io.rdma.internal.soft.objects.SendSide;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.TransportFactory;
import io.rdma.internal.soft.wire.Opcode;

/** The transports of this device: reliable, unreliable and datagram. */
public enum Transports implements TransportFactory {
    /** The only instance. */
    ALL;

    @Override
    public SendSide requester(SoftQp qp) {
        return Opcode.isReliable(qp.transport) ? new Requester(qp) : new UnreliableRequester(qp);
    }

    @Override
    public ReceiveSide responder(SoftQp qp) {
        return switch (qp.transport) {
            case Opcode.RC, Opcode.XRC -> new Responder(qp);
            case Opcode.UC -> new UnreliableResponder(qp);
            default -> new DatagramResponder(qp);
        };
    }
}
