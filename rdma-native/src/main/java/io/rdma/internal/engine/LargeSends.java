package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.environment.Environment;
import io.rdma.internal.loop.BlockingTasks;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.os.StackRoom;
import io.rdma.types.AccessFlag;
import io.rdma.types.RdmaException;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - The peer gets the key of no region that has other memory than the message: not of a pool, of the cache, or of the
// application. It gets the key of a region that was registered for this message alone and is freed with it, or that of
// a registration which is made for it and ends with it.
// - A registering thread counts itself and then reads whether the connection closes. The loop reads the count when the
// connection is closing already. So the domain is in use by no thread when the close goes on.
// - The poster is woken after a registration has ended: it takes the message, or those behind it. A poster may call
// listeners, which may wait for the close of the connection. So the registering thread has counted itself out before.

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
        if (endpoint.isClosing()) { // it fails at once, on the caller's thread
            sends.submit(operation, false);
            return;
        }
        StackRoom.require(StackRoom.SIGNAL);
        if (!operation.borrow(null)) {
            return;
        }
        Exposure exposure;
        Registration registration;
        try {
            exposure = exposure(operation);
            registration = exposure.isReady() ? null : new Registration(exposure, operation);
            operation.expose(exposure);
        } catch (Throwable e) { // no memory
            operation.request().unborrow();
            throw e;
        }
        sends.submit(operation, true);
        if (registration != null && !exposure.isReady()) { // else its memory is registered, or it has ended
            loop.slowTasks().exposures().execute("rdma-expose", registration);
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

    /** Registration for one message. It is made before the message is submitted, with all that a failure needs. */
    private final class Registration implements BlockingTasks.Task {
        private final Exposure exposure;
        private final WorkRequest request;
        private final int @Nullable [] lengths;
        private final int length;
        private final UnregisteredException failure;
        private boolean begun;

        Registration(Exposure exposure, Operation operation) {
            this.exposure = exposure;
            request = operation.request();
            lengths = request.buffers() == null ? null : operation.lengths();
            length = operation.length();
            failure = new UnregisteredException(length);
        }

        @Override
        public void run() {
            registering.incrementAndGet();
            try {
                begun = exposure.begin();
                if (begun) {
                    register();
                }
            } finally {
                registering.decrementAndGet();
            }
        }

        private void register() {
            MemoryRegion fresh = null;
            RemoteMemory exposed;
            try {
                fresh = region(request, lengths, length);
                exposed = fresh.remote();
            } catch (Throwable e) {
                exposure.refused(failure.of(e), fresh);
                return;
            }
            exposure.registered(fresh, exposed);
        }

        @Override
        public void goOn() {
            if (begun) {
                try {
                    exposure.goOn();
                } finally {
                    sends.postWaiting();
                }
            }
        }

        /** Ends the message as if its memory were refused. */
        @Override
        public void refused(Throwable reason) {
            begun = exposure.begin();
            if (begun) {
                exposure.refused(failure.of(reason), null);
            }
            goOn();
        }
    }

    /** Error of a message whose registration failed by an error of the JVM, for which there may be no memory then. */
    private static final class UnregisteredException extends RdmaException {
        private static final long serialVersionUID = 1L;

        UnregisteredException(int length) {
            super("the memory of a message of " + length + " bytes was not registered");
        }

        RuntimeException of(Throwable reason) {
            if (reason instanceof RuntimeException error) {
                return error;
            }
            initCause(reason);
            return this;
        }

        /** Records no stack: most are never thrown, and the cause has one. */
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
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
        Set<AccessFlag> rights = domain.policy().forMessages(EnumSet.of(AccessFlag.REMOTE_READ));
        return endpoint.inDomain(() -> domain.register(request.message(length), rights));
    }

    /** Returns whether a thread registers memory in the domain, or may. Loop, when the connection is closing. */
    boolean isRegistering() {
        return registering.get() != 0;
    }
}
