package io.rdma.internal.call;

import io.rdma.call.RdmaCallException;
import io.rdma.call.RdmaCallException.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/* Layout, in network byte order (docs/guide/calls.md):
 *   0 version, 1 kind, 2..3 length of the name, 4..7 id, 8..11 milliseconds or status, 12..15 zero, 16.. name,
 *   zeros up to a multiple of 8, body.
 * The version and the id are at the same place in every version, so that a request of another version gets an answer.
 */

/**
 * A message of the calls without its body.
 *
 * @param kind purpose of the message
 * @param id number of the call
 * @param value time of a request in milliseconds, or code of an error
 * @param name name of the call or type of the error
 * @param body offset of the body in the message
 * @param problem why the message is not a frame of this version, or null
 */
public record CallFrame(
        Kind kind,
        int id,
        int value,
        String name,
        int body,
        @Nullable RdmaCallException problem) {
    /** Version that this side sends and reads. */
    public static final int VERSION = 1;

    /** Maximum length of a name, in bytes. */
    public static final int NAME_BYTES = 255;

    private static final int HEADER = 16;
    private static final int TEXT = 1024;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final Status[] STATUSES = Status.values(); // the ordinals are the codes on the wire

    /** Purpose of a message. The codes on the wire are the ordinals. */
    public enum Kind {
        /** Not a frame of this version. */
        UNKNOWN,
        /** The client calls. */
        REQUEST,
        /** The result of a request. */
        ANSWER,
        /** The failure of a request. */
        ERROR,
        /** The client gives a request up. */
        CANCEL
    }

    private static final Kind[] KINDS = Kind.values();

    /**
     * Creates a request.
     *
     * @param id number of the call
     * @param milliseconds time that is left
     * @param name name of the call
     * @return the frame
     */
    public static CallFrame request(int id, int milliseconds, String name) {
        return made(Kind.REQUEST, id, milliseconds, name);
    }

    /**
     * Creates an answer.
     *
     * @param id number of the call
     * @return the frame
     */
    public static CallFrame answer(int id) {
        return made(Kind.ANSWER, id, 0, "");
    }

    /**
     * Creates a cancellation.
     *
     * @param id number of the call
     * @return the frame
     */
    public static CallFrame cancel(int id) {
        return made(Kind.CANCEL, id, 0, "");
    }

    /**
     * Creates the frame of an error. {@link #text} is its body.
     *
     * @param id number of the call
     * @param error error to report
     * @return the frame
     */
    public static CallFrame error(int id, RdmaCallException error) {
        String type = error.type();
        return made(
                Kind.ERROR,
                id,
                error.status().ordinal(),
                length(type) <= NAME_BYTES ? type : type.substring(0, NAME_BYTES / 3)); // 3 bytes for a char at most
    }

    private static CallFrame made(Kind kind, int id, int value, String name) {
        return new CallFrame(kind, id, value, name, bodyOffset(length(name)), null);
    }

    /**
     * Checks the name of a call.
     *
     * @param name name to check
     * @return the name
     * @throws IllegalArgumentException if it is empty or too long
     */
    public static String checkedName(String name) {
        int length = length(name);
        if (length < 1 || length > NAME_BYTES) {
            throw new IllegalArgumentException(
                    "name of a call has " + length + " bytes in UTF-8: use 1 to " + NAME_BYTES);
        }
        return name;
    }

    /**
     * Returns the body of an error.
     *
     * @param error error to report
     * @param room maximum length of the body in bytes
     * @return text in UTF-8
     */
    public static byte[] text(RdmaCallException error, int room) {
        String message = String.valueOf(error.getMessage());
        int most = Math.clamp(room / 3, 0, TEXT);
        return message.substring(0, Math.min(message.length(), most)).getBytes(StandardCharsets.UTF_8);
    }

    private static int length(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length;
    }

    private static int bodyOffset(int nameLength) {
        return HEADER + (nameLength + 7 & -8);
    }

    /**
     * Writes everything before the body.
     *
     * @param target at least {@link #body} bytes long
     */
    public void write(MemorySegment target) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        target.asSlice(0, body).fill((byte) 0);
        target.set(ValueLayout.JAVA_BYTE, 0, (byte) VERSION);
        target.set(ValueLayout.JAVA_BYTE, 1, (byte) kind.ordinal());
        target.set(SHORT, 2, (short) bytes.length);
        target.set(INT, 4, id);
        target.set(INT, 8, value);
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, HEADER, bytes.length);
    }

    /**
     * Reads a message. Never fails: what is not a frame of this version has a {@link #problem}.
     *
     * @param message the bytes that arrived
     * @return the frame
     */
    public static CallFrame read(MemorySegment message) {
        long size = message.byteSize();
        if (size < 8) {
            return unknown(0, "a message of " + size + " bytes is no frame of a call");
        }
        int id = message.get(INT, 4);
        int version = message.get(ValueLayout.JAVA_BYTE, 0) & 0xff;
        if (version != VERSION) {
            return unknown(
                    id,
                    "a message has version " + version + " of the protocol of calls, this side reads version "
                            + VERSION);
        }
        int kind = message.get(ValueLayout.JAVA_BYTE, 1);
        if (size < HEADER || kind <= 0 || kind >= KINDS.length) {
            return unknown(id, "a message of " + size + " bytes and of kind " + kind + " is no frame of a call");
        }
        int nameLength = message.get(SHORT, 2) & 0xffff;
        int body = bodyOffset(nameLength);
        if (nameLength > NAME_BYTES || body > size) {
            return unknown(id, "a message of " + size + " bytes has no room for its name of " + nameLength + " bytes");
        }
        byte[] name = message.asSlice(HEADER, nameLength).toArray(ValueLayout.JAVA_BYTE);
        return new CallFrame(
                KINDS[kind], id, message.get(INT, 8), new String(name, StandardCharsets.UTF_8), body, null);
    }

    private static CallFrame unknown(int id, String problem) {
        return new CallFrame(
                Kind.UNKNOWN,
                id,
                0,
                "",
                0,
                new RdmaCallException(
                        Status.UNKNOWN_VERSION,
                        "",
                        problem
                                + ": use a version of the library with the same protocol at both ends, and let only calls send"
                                + " on this connection",
                        null));
    }

    /**
     * Returns the error that this frame reports.
     *
     * @param call name of the call that failed
     * @param text body of the frame
     * @return not thrown
     */
    public RdmaCallException reported(String call, byte[] text) {
        Status status = value >= 0 && value < STATUSES.length ? STATUSES[value] : Status.FAILED;
        String message = new String(text, StandardCharsets.UTF_8);
        return new RdmaCallException(
                status, name, status == Status.APPLICATION ? message : "call \"" + call + "\": " + message, null);
    }
}
