package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.DatagramAddress;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Description of an operation to post. It is immutable, so that a cold publisher can post it again.
 *
 * @param opcode operation
 * @param buffer local memory; null for atomics, whose result the engine keeps, for several buffers, and for requests
 *     without memory
 * @param remote memory of the peer; null for sends
 * @param operands further operands of the opcode; null if it has none
 * @param closeBuffer whether the engine closes the buffer at the end of the operation, after success and failure alike;
 *     it does not after a refused submit
 */
public record WorkRequest(
        WorkRequestOpcode opcode,
        @Nullable RegisteredBuffer buffer,
        @Nullable RemoteMemory remote,
        @Nullable Operands operands,
        boolean closeBuffer) {

    /**
     * Operands that only some opcodes have. They are kept apart so that most requests are small.
     *
     * @param immediate immediate data in host order, the key to invalidate, or the guarantee of a FLUSH
     * @param compareAdd value to compare with, to add, or to write at once
     * @param swap new value of a compare-and-swap
     * @param destination destination of a datagram; null for other operations
     * @param buffers local memory of a request that has no single buffer; null for other requests
     * @param receiver number of the XRC receiver; -1 for other operations
     */
    public record Operands(
            int immediate,
            long compareAdd,
            long swap,
            @Nullable DatagramAddress destination,
            @Nullable BufferList buffers,
            int receiver) {
        private static Operands immediate(int value) {
            return new Operands(value, 0, 0, null, null, -1);
        }

        static Operands atomic(long compareAdd, long swap) {
            return new Operands(0, compareAdd, swap, null, null, -1);
        }
    }

    /**
     * Creates the request for a message.
     *
     * @param message its first {@code limit} bytes
     * @param closeBuffer see the record
     * @return the request
     */
    public static WorkRequest send(RegisteredBuffer message, boolean closeBuffer) {
        return new WorkRequest(WorkRequestOpcode.SEND, message, null, null, closeBuffer);
    }

    /**
     * Creates the request for a message with immediate data.
     *
     * @param message its first {@code limit} bytes
     * @param immediate 4 bytes in host order
     * @return the request
     */
    public static WorkRequest sendWithImmediate(RegisteredBuffer message, int immediate) {
        return new WorkRequest(WorkRequestOpcode.SEND_WITH_IMM, message, null, Operands.immediate(immediate), false);
    }

    /**
     * Creates the request for a datagram, for a {@link DatagramEndpoint}.
     *
     * @param message its first {@code limit} bytes
     * @param destination queue pair or group that receives it
     * @param closeBuffer see the record
     * @return the request
     */
    public static WorkRequest sendTo(RegisteredBuffer message, DatagramAddress destination, boolean closeBuffer) {
        Operands operands = new Operands(0, 0, 0, destination, null, -1);
        return new WorkRequest(WorkRequestOpcode.SEND, message, null, operands, closeBuffer);
    }

    /**
     * Creates the request for a datagram with immediate data, for a {@link DatagramEndpoint}.
     *
     * @param message its first {@code limit} bytes
     * @param immediate 4 bytes in host order
     * @param destination queue pair or group that receives it
     * @return the request
     */
    public static WorkRequest sendToWithImmediate(
            RegisteredBuffer message, int immediate, DatagramAddress destination) {
        Operands operands = new Operands(immediate, 0, 0, destination, null, -1);
        return new WorkRequest(WorkRequestOpcode.SEND_WITH_IMM, message, null, operands, false);
    }

    /**
     * Creates the request for a message whose arrival revokes a memory window of the peer.
     *
     * @param message its first {@code limit} bytes
     * @param window window as received from the peer, bound to this connection, see {@link EndpointMemory#bind}
     * @return the request
     */
    public static WorkRequest sendWithInvalidate(RegisteredBuffer message, RemoteMemory window) {
        return new WorkRequest(
                WorkRequestOpcode.SEND_WITH_INV, message, null, Operands.immediate(window.rkey()), false);
    }

    /**
     * Creates the request for a write.
     *
     * @param source its first {@code limit} bytes
     * @param target at least as long
     * @return the request
     */
    public static WorkRequest write(RegisteredBuffer source, RemoteMemory target) {
        return new WorkRequest(WorkRequestOpcode.RDMA_WRITE, source, target, null, false);
    }

    /**
     * Creates the request for a write with immediate data, which consumes a receive of the peer.
     *
     * @param source its first {@code limit} bytes
     * @param target at least as long
     * @param immediate 4 bytes in host order
     * @return the request
     */
    public static WorkRequest writeWithImmediate(RegisteredBuffer source, RemoteMemory target, int immediate) {
        return new WorkRequest(
                WorkRequestOpcode.RDMA_WRITE_WITH_IMM, source, target, Operands.immediate(immediate), false);
    }

    /**
     * Creates the request for a read of {@code target.limit()} bytes.
     *
     * @param source at least as long
     * @param target overwritten from its start
     * @return the request
     */
    public static WorkRequest read(RemoteMemory source, RegisteredBuffer target) {
        return new WorkRequest(WorkRequestOpcode.RDMA_READ, target, source, null, false);
    }

    /**
     * Creates the request for a message, a write or a read with several buffers, {@code sg_list}. The device gathers or
     * scatters the bytes, in the order of the buffers.
     *
     * @param opcode SEND, RDMA_WRITE or RDMA_READ
     * @param buffers the first {@code limit} bytes of each; perhaps none
     * @param remote memory of the peer, at least as long as all buffers; null for a send
     * @param options of the connection that it is for
     * @return the request
     * @throws IllegalArgumentException if there are more buffers than a request of the connection may have
     */
    public static WorkRequest several(
            WorkRequestOpcode opcode,
            List<RegisteredBuffer> buffers,
            @Nullable RemoteMemory remote,
            EndpointOptions options) {
        BufferList list = new BufferList(buffers, opcode == WorkRequestOpcode.RDMA_READ, options.maxBuffers(opcode));
        return new WorkRequest(opcode, null, remote, new Operands(0, 0, 0, null, list, -1), false);
    }

    /**
     * Creates the request for a fetch-and-add on 8 bytes.
     *
     * @param target 8 bytes on an 8-byte boundary
     * @param addend value to add; the sum wraps around
     * @return the request; its result is the old value
     */
    public static WorkRequest fetchAndAdd(RemoteMemory target, long addend) {
        aligned(target);
        return new WorkRequest(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, null, target, Operands.atomic(addend, 0), false);
    }

    /**
     * Creates the request for a compare-and-swap of 8 bytes.
     *
     * @param target 8 bytes on an 8-byte boundary
     * @param expected old value at which it swaps
     * @param update new value
     * @return the request; its result is the old value
     */
    public static WorkRequest compareAndSwap(RemoteMemory target, long expected, long update) {
        aligned(target);
        return new WorkRequest(
                WorkRequestOpcode.ATOMIC_CMP_AND_SWP, null, target, Operands.atomic(expected, update), false);
    }

    static void aligned(RemoteMemory target) {
        if (target.length() < Long.BYTES) {
            throw new IllegalArgumentException(
                    "the target of an atomic must have at least 8 bytes: " + target.length());
        }
        if ((target.address() & (Long.BYTES - 1)) != 0) {
            throw new IllegalArgumentException(
                    "the target of an atomic must lie on an 8-byte boundary: 0x" + Long.toHexString(target.address()));
        }
    }

    /**
     * Returns whether the operation is an atomic, which has a result.
     *
     * @return true for fetch-and-add and compare-and-swap
     */
    public boolean isAtomic() {
        return opcode == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD || opcode == WorkRequestOpcode.ATOMIC_CMP_AND_SWP;
    }

    /** Returns whether it tells of the writes before it: a FLUSH, what stands for one, or an atomic write. */
    boolean followsWrites() {
        return opcode.isPlacement() || opcode == WorkRequestOpcode.RDMA_READ && buffer == null && operands == null;
    }

    /**
     * Returns whether there are operands. The hot path does not ask {@link #operands()}: HotSpot inlines no method
     * whose signature has a class that is not loaded, and many programs never load that of operands.
     */
    boolean hasOperands() {
        return operands != null;
    }

    /** Returns whether the request is a message and nothing else, in memory that the application cannot free. */
    boolean isPlainSend() {
        return opcode == WorkRequestOpcode.SEND && operands == null && buffer != null && !buffer.isForeign();
    }

    /**
     * Returns the immediate data, or the key to invalidate.
     *
     * @return host order; 0 if the opcode has none
     */
    public int immediate() {
        return operands == null ? 0 : operands.immediate();
    }

    /**
     * Returns the destination of a datagram.
     *
     * @return the destination; null for other operations
     */
    public @Nullable DatagramAddress destination() {
        return operands == null ? null : operands.destination();
    }

    /** Returns the buffers of a request that has no single one; else null. */
    public @Nullable BufferList buffers() {
        return operands == null ? null : operands.buffers();
    }

    /** Returns the present length in bytes, after checking it. A submit fixes and posts this length. */
    int checkedLength() {
        if (buffer == null) {
            return switch (opcode) {
                case ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWP, ATOMIC_WRITE -> Long.BYTES;
                case RDMA_READ -> (int) Objects.requireNonNull(remote).length();
                default -> 0;
            };
        }
        return checkedLength(buffer.limit());
    }

    /** Returns the length of the local memory, after checking it. */
    int checkedLength(int length) {
        if (remote != null && length > remote.length()) {
            throw new IllegalArgumentException(
                    length + " bytes (" + (buffer == null ? "the sum of the limits" : "the buffer's limit")
                            + ") are longer than the remote memory of " + remote.length() + " bytes: lower the limit");
        }
        return length;
    }

    /**
     * Borrows the buffer for the device.
     *
     * @param loop the calling loop, if the end of the borrow is certain to be on it as well; else null
     * @return true if it is in the loop's own count; to be passed to {@link #giveBack}
     */
    boolean borrow(@Nullable Object loop) {
        if (buffer == null) {
            borrowAll();
            return false;
        }
        if (opcode == WorkRequestOpcode.RDMA_READ) {
            buffer.beginWrite();
        } else if (loop != null && buffer.beginLoopRead(loop)) {
            return true;
        } else {
            buffer.beginRead();
        }
        return false;
    }

    private void borrowAll() {
        BufferList all = buffers();
        if (all != null) {
            all.borrow();
        }
    }

    private void giveBackAll() {
        BufferList all = buffers();
        if (all != null) {
            all.giveBack();
        }
    }

    /** Returns the bytes of a message whose buffer is borrowed. */
    MemorySegment message(int length) {
        RegisteredBuffer source = Objects.requireNonNull(buffer);
        return MemorySegment.ofAddress(source.address()).reinterpret(length);
    }

    /** Undoes {@link #borrow} of a message that was not submitted. */
    void unborrow() {
        if (buffer == null) {
            giveBackAll();
        } else {
            buffer.endRead();
        }
    }

    /** Closes the buffer if the engine is to close it. */
    void drop() {
        if (closeBuffer && buffer != null) {
            buffer.close();
        }
    }

    /**
     * Ends the borrow: the device is done with the buffer, or never got it.
     *
     * @param byLoop what {@link #borrow} returned
     */
    void giveBack(boolean byLoop) {
        if (buffer == null) {
            giveBackAll();
            return;
        }
        if (byLoop) {
            buffer.endLoopRead();
        } else if (opcode == WorkRequestOpcode.RDMA_READ) {
            buffer.endWrite();
        } else {
            buffer.endRead();
        }
        drop();
    }
}
