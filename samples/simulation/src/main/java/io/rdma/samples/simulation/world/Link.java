package io.rdma.samples.simulation.world;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.BoundWindow;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.samples.simulation.schedule.Bounds;
import io.rdma.structures.RingMemory;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.time.Duration;
import java.util.function.Consumer;

/** Connection as the programs of a run use it. The name of a call is its name in the story. */
public interface Link {
    /**
     * How messages are received.
     *
     * @param owned whether the messages are owned, and closed later by other threads, in another order
     * @param demand number of messages that are requested at a time; 0 for all. Those of an even number are requested
     *     by other threads, and 4 after a time.
     */
    record Reception(boolean owned, int demand) {
        static final Reception ALL = new Reception(false, 0);

        public Reception {
            Bounds.atLeast(0, demand, "demand");
        }
    }

    /** Sends messages, in order. */
    Call<Void> send(String name, Message.Stream messages);

    /** Receives messages until their stream ends. */
    Call<Void> receive(String name, Reception how, Consumer<Message> each);

    Call<RegisteredBuffer> acquire(String name);

    Call<Void> write(String name, RegisteredBuffer source, RemoteMemory target);

    Call<Void> read(String name, RemoteMemory source, RegisteredBuffer target);

    Call<Long> fetchAndAdd(String name, RemoteMemory target, long addend);

    Call<Long> compareAndSwap(String name, RemoteMemory target, long expected, long update);

    Call<MemoryRegion> allocate(String name, long bytes, AccessFlag... access);

    Call<MemoryRegion> grant(
            String name, MemoryRegion memory, long offset, long length, Duration time, AccessFlag... access);

    Call<BoundWindow> bind(String name, MemoryRegion memory, long offset, long length, AccessFlag... access);

    /** Returns the structures of the peer. */
    StructureLink structures();

    /**
     * Receives entries of a ring, until no further one will arrive.
     *
     * @param most entries after which it ends, too
     */
    Call<Void> receive(String name, RingMemory ring, long most, Consumer<byte[]> each);

    RdmaEndpoint endpoint();

    /** Begins to close the connection. */
    void close();

    /** Ends the connection as one that failed. */
    void abort(Throwable cause);

    /** Ends when the connection has ended and nothing of it is left. */
    Call<Void> closed(String name);
}
