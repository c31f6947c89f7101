package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.environment.Environment;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.os.StackRoom;
import io.rdma.types.AccessFlag;
import io.rdma.types.RdmaException;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - The peer gets the key of no region that has other memory than the message: not of a pool, of the cache, or of the
// application. It gets the key of a region that was registered for this message alone and is freed with it, or that of
// a registration which is made for it and ends with it.
// - A registering thread counts itself and then reads whether the connection closes. The loop reads the count when the
// connection is closing already. So the domain is in use by no thread when the close goes on.
// - The thread that ends a registration wakes the poster afterwards: it takes the message, or those behind it.

/**
 * Sender of the large messages of one connection, which the peer reads. It exposes their memory: a message whose memory
 * has to be registered for that waits in the {@link Backlog} meanwhile, and keeps its place among the messages.
 */
final class LargeSends {
    private final Endpoint endpoint;
    private final CompletionLoop loop;
    private final ProtectionDomain domain;
    private final SendQueue sends;
    private final AtomicInteger registering = new AtomicInteger();

    LargeSends(Endpoint endpoint, ProtectionDomain domain, SendQueue sends) {
        this.endpoint = endpoint;
        this.loop = endpoint.loop();
        this.domain = domain;
        this.sends = sends;
    }

    /**
     * Submits a message that exceeds the peer's receive buffers, see {@link Endpoint#submit}. Registers no memory on
     * the caller's thread.
     */
    void submit(Operation operation) {
        if (operation instanceof GatherOperation) {
            throw new IllegalArgumentException("a gathered message of " + operation.length() + " bytes exceeds the"
                    + " peer's receive buffers of " + endpoint.options().peerReceiveBufferSize() + " bytes: cut it");
        }
        StackRoom.require(StackRoom.SIGNAL);
        if (!operation.borrow(null)) {
            return;
        }
        int[] lengths = operation.request().buffers() == null ? null : operation.lengths();
        Exposure exposure;
        try {
            exposure = exposure(operation);
            operation.expose(exposure);
        } catch (Throwable e) { // no memory
            operation.request().unborrow();
            throw e;
        }
        sends.submit(operation, true);
        if (!exposure.isReady()) { // else its memory is registered, or it has ended
            register(exposure, operation.request(), lengths, operation.length());
        }
    }

    private Exposure exposure(Operation operation) {
        WorkRequest request = operation.request();
        RegisteredBuffer buffer = request.buffer(); // null if it has several
        Environment environment = loop.environment();
        int length = operation.length();
        // The key is of no use any more when the engine has closed the buffer, which frees the memory.
        if (buffer != null && request.closeBuffer() && buffer.isOfOneMessage() && buffer.capacity() == length) {
            RemoteMemory own =
                    new RemoteMemory(buffer.address(), length, buffer.remote().rkey());
            return Exposure.registered(request, environment, own);
        }
        return Exposure.queued(request, environment, sends::postWaiting);
    }

    private void register(Exposure exposure, WorkRequest request, int @Nullable [] lengths, int length) {
        try {
            loop.blockingTasks().execute("rdma-expose", () -> registerNow(exposure, request, lengths, length));
        } catch (Throwable e) { // no thread: the message ends, as if its memory were refused
            if (exposure.begin()) {
                exposure.refused(failure(length, e));
                sends.postWaiting();
            }
        }
    }

    private void registerNow(Exposure exposure, WorkRequest request, int @Nullable [] lengths, int length) {
        registering.incrementAndGet();
        try {
            if (exposure.begin()) {
                try {
                    exposure.registered(region(request, lengths, length));
                } catch (Throwable e) {
                    exposure.refused(failure(length, e));
                }
                sends.postWaiting();
            }
        } finally {
            registering.decrementAndGet();
        }
    }

    private MemoryRegion region(WorkRequest request, int @Nullable [] lengths, int length) {
        if (endpoint.isClosing()) {
            throw endpoint.closedException(false);
        }
        BufferList several = request.buffers();
        if (several != null) {
            several.requireMemory();
            return endpoint.inDomain(() -> several.copied(domain, Objects.requireNonNull(lengths), length));
        }
        Objects.requireNonNull(request.buffer()).requireMemory();
        return endpoint.inDomain(() -> domain.register(request.message(length), EnumSet.of(AccessFlag.REMOTE_READ)));
    }

    private static RuntimeException failure(int length, Throwable e) {
        return e instanceof RuntimeException error
                ? error
                : new RdmaException("the memory of a message of " + length + " bytes was not registered: " + e, e);
    }

    /** Returns whether a thread registers memory in the domain, or may. Loop, when the connection is closing. */
    boolean isRegistering() {
        return registering.get() != 0;
    }
}
