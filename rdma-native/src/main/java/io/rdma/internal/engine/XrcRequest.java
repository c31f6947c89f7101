package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.WorkRequestOpcode;

/** Requests of extended reliable connections: messages to a {@link XrcReceiver} that they name. */
public final class XrcRequest {
    private static final int MOST = 0xffffff; // 24 bits, IB specification, volume 1, 9.2: XRCETH

    private XrcRequest() {}

    /** Returns the number of the receiver; -1 if the request names none. */
    static int receiver(WorkRequest request) {
        WorkRequest.Operands operands = request.operands();
        return operands == null ? -1 : operands.receiver();
    }

    /**
     * Creates the error for a message that is longer than the receivers' buffers are, as the server says.
     *
     * @param options of the sender
     * @param length of the message in bytes
     * @return not thrown
     */
    public static IllegalArgumentException tooLong(EndpointOptions options, int length) {
        return options.tooLong(
                length, "give all receivers larger receiveBuffers, and the server that receiveBufferSize");
    }

    /** Creates the error for a message that is too long, which names a receiver or goes to the peer itself. */
    static IllegalArgumentException tooLong(EndpointOptions options, WorkRequest request, int length) {
        return receiver(request) < 0 ? options.tooLong(length) : tooLong(options, length);
    }

    /**
     * Creates the request for a message.
     *
     * @param message its first {@code limit} bytes
     * @param receiver number of the receiver
     * @param closeBuffer see {@link WorkRequest}
     * @return the request
     * @throws IllegalArgumentException if the number has more than 24 bits
     */
    public static WorkRequest send(RegisteredBuffer message, int receiver, boolean closeBuffer) {
        return new WorkRequest(WorkRequestOpcode.SEND, message, null, operands(0, receiver), closeBuffer);
    }

    /**
     * Creates the request for a message with immediate data.
     *
     * @param message its first {@code limit} bytes
     * @param immediate 4 bytes in host order
     * @param receiver number of the receiver
     * @return the request
     * @throws IllegalArgumentException if the number has more than 24 bits
     */
    public static WorkRequest sendWithImmediate(RegisteredBuffer message, int immediate, int receiver) {
        return new WorkRequest(WorkRequestOpcode.SEND_WITH_IMM, message, null, operands(immediate, receiver), false);
    }

    private static WorkRequest.Operands operands(int immediate, int receiver) {
        if (receiver < 0 || receiver > MOST) {
            throw new IllegalArgumentException("the number of an XRC receiver is from 0 to " + MOST + ", not "
                    + receiver + ": use the one that the receiver's number() returned");
        }
        return new WorkRequest.Operands(immediate, 0, 0, null, null, receiver);
    }
}
