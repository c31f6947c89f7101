package io.rdma.internal.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DatagramAddress;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;

/** Log of one connection or socket for a wiretap. A failure of the logger does not reach what is logged. */
public final class WireLog {
    private static final int MOST_BYTES = 256;
    private static final int BYTES_PER_LINE = 16;
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

    private final Logger logger;
    private final Object subject;

    /**
     * Creates the log.
     *
     * @param category name of the logger
     * @param subject connection or socket that each record names
     */
    public WireLog(String category, Object subject) {
        this.logger = System.getLogger(category);
        this.subject = subject;
    }

    /**
     * Logs an event.
     *
     * @param event what happens
     */
    public void event(String event) {
        log(() -> event);
    }

    /**
     * Logs a message.
     *
     * @param event what happens to the message
     * @param bytes readable now
     */
    public void message(String event, MemorySegment bytes) {
        log(() -> described(event, bytes));
    }

    /**
     * Logs a message that is sent from a buffer.
     *
     * @param event what happens to the message
     * @param message readable now, up to its limit
     */
    public void message(String event, RegisteredBuffer message) {
        log(() -> described(event, message));
    }

    /**
     * Logs a message that is sent from several buffers.
     *
     * @param event what happens to the message
     * @param message readable now, each buffer up to its limit
     */
    public void message(String event, List<RegisteredBuffer> message) {
        log(() -> described(event, message));
    }

    /**
     * Logs a message that has arrived.
     *
     * @param message readable now
     */
    public void received(ReceivedMessage message) {
        log(() -> described("RECEIVED", message.segment()));
    }

    /**
     * Logs a request that is about to be submitted.
     *
     * @param request its buffer is readable now, up to its limit
     */
    public void request(WorkRequest request) {
        log(() -> {
            RegisteredBuffer sent = isRead(request) ? null : request.buffer();
            BufferList several = isRead(request) ? null : request.buffers();
            if (several != null) {
                return described(name(request), several.all());
            }
            return sent == null ? name(request) : described(name(request), sent);
        });
    }

    /**
     * Logs the failure of a request.
     *
     * @param request that was refused, or that failed
     * @param error its end
     */
    public void failed(WorkRequest request, Throwable error) {
        log(() -> name(request) + " failed: " + error);
    }

    private static boolean isRead(WorkRequest request) {
        return request.opcode() == WorkRequestOpcode.RDMA_READ;
    }

    private static String name(WorkRequest request) {
        WorkRequest.Operands operands = request.operands();
        long compareAdd = operands == null ? 0 : operands.compareAdd();
        long swap = operands == null ? 0 : operands.swap();
        DatagramAddress datagram = request.destination();
        Object destination = datagram == null && XrcRequest.receiver(request) >= 0
                ? "receiver " + XrcRequest.receiver(request)
                : datagram;
        return switch (request.opcode()) {
            case SEND -> destination == null ? "SEND" : "SEND to " + destination;
            case SEND_WITH_IMM ->
                "SEND_WITH_IMM " + request.immediate() + (destination == null ? "" : " to " + destination);
            case SEND_WITH_INV -> "SEND_WITH_INV of key 0x" + Integer.toHexString(request.immediate());
            case RDMA_WRITE -> "WRITE to " + request.remote();
            case RDMA_WRITE_WITH_IMM -> "WRITE_WITH_IMM " + request.immediate() + " to " + request.remote();
            case RDMA_READ -> "READ of " + request.remote();
            case ATOMIC_FETCH_AND_ADD -> "FETCH_AND_ADD of " + compareAdd + " to " + request.remote();
            case ATOMIC_CMP_AND_SWP -> "CMP_AND_SWP of " + compareAdd + " by " + swap + " at " + request.remote();
            case FLUSH -> "FLUSH of " + request.remote() + " for " + PlacementRequest.type(request);
            case ATOMIC_WRITE -> "ATOMIC_WRITE of " + compareAdd + " to " + request.remote();
            default -> request.opcode().toString();
        };
    }

    private void log(Supplier<String> text) {
        try {
            if (logger.isLoggable(Level.DEBUG)) {
                logger.log(Level.DEBUG, subject + " " + text.get());
            }
        } catch (RuntimeException e) { // a closed buffer, of which the operation informs, or a faulty logger
            return;
        }
    }

    private static String described(String event, RegisteredBuffer message) {
        return described(event, message.segment().asSlice(0, message.limit()));
    }

    private static String described(String event, List<RegisteredBuffer> message) {
        long length = 0;
        MemorySegment first = MemorySegment.ofArray(new byte[MOST_BYTES]);
        for (RegisteredBuffer buffer : message) {
            long shown = Math.min(buffer.limit(), Math.max(0, MOST_BYTES - length));
            MemorySegment.copy(buffer.segment(), 0, first, Math.min(length, MOST_BYTES), shown);
            length += buffer.limit();
        }
        return event + " " + length + " bytes of " + message.size() + " buffers" + dump(first, length);
    }

    private static String described(String event, MemorySegment bytes) {
        return event + " " + bytes.byteSize() + " bytes" + dump(bytes, bytes.byteSize());
    }

    private static String dump(MemorySegment bytes, long length) {
        StringBuilder text = new StringBuilder();
        int shown = (int) Math.min(MOST_BYTES, length);
        for (int at = 0; at < shown; at += BYTES_PER_LINE) {
            byte[] line =
                    bytes.asSlice(at, Math.min(BYTES_PER_LINE, shown - at)).toArray(ValueLayout.JAVA_BYTE);
            text.append(String.format("%n%04x  %-47s  ", at, HEX.formatHex(line)));
            for (byte b : line) {
                text.append(b >= ' ' && b <= '~' ? (char) b : '.');
            }
        }
        if (shown < length) {
            text.append(String.format("%n… %d more bytes", length - shown));
        }
        return text.toString();
    }
}
