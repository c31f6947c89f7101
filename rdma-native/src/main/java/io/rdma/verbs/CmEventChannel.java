package io.rdma.verbs;

import io.rdma.internal.ffi.Rdmacm;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.types.CmAddressInfo;
import io.rdma.types.CmEventType;
import io.rdma.types.Errno;
import io.rdma.types.PortSpace;
import io.rdma.types.VerbsException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

// Invariants
// - `lock` is held from taking an event until its identifier is found. An identifier is removed from `identifiers`
//   before C frees it, so an event of a closed identifier never reaches a new one that got the same address in memory.
// - A thread waits inside the library only while it holds `reader`. Once destroy has held `reader`, no thread waits on
//   the channel.

/**
 * An event channel, {@code struct rdma_event_channel} of {@code rdma_create_event_channel(3)}: it receives the events
 * of its identifiers. One thread waits and takes; any thread may wake. Close the channel after its identifiers.
 */
public final class CmEventChannel extends NativeObject {
    final Rdmacm cm;
    private final ReentrantLock reader = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, CmIdentifier> identifiers = new HashMap<>();

    CmEventChannel(Verbs verbs, Rdmacm cm) {
        super(verbs, cm.createEventChannel());
        this.cm = cm;
    }

    static CmEventChannel of(Verbs verbs) {
        return new CmEventChannel(verbs, verbs.rdmacm());
    }

    /**
     * Creates an identifier whose events go to this channel, {@code rdma_create_id(3)}.
     *
     * @param portSpace port space of its addresses
     * @return the identifier, to be closed before this channel
     */
    public CmIdentifier createIdentifier(PortSpace portSpace) {
        long id = cm.createId(handle(), portSpace.code());
        return adopted(id, portSpace);
    }

    private CmIdentifier adopted(long id, PortSpace portSpace) {
        CmIdentifier made = new CmIdentifier(verbs, cm, id, portSpace, this);
        adopt(id, made);
        return made;
    }

    void adopt(long id, CmIdentifier identifier) {
        lock.lock();
        try {
            identifiers.put(id, identifier);
        } finally {
            lock.unlock();
        }
    }

    void forget(long id) {
        lock.lock();
        try {
            identifiers.remove(id);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Translates a name to addresses, {@code rdma_getaddrinfo(3)}. It queries the name service, so it may block.
     *
     * @param node host name or address; null, with {@code passive}, for all addresses of this host
     * @param port 0 to 65535
     * @param passive whether the address is for listening
     * @param portSpace port space of the port
     * @return the addresses in order of preference, not empty
     * @throws VerbsException ENOENT if there is no such host
     */
    public List<CmAddressInfo> addresses(@Nullable String node, int port, boolean passive, PortSpace portSpace) {
        handle();
        return cm.getAddrInfo(node, Integer.toString(port), passive, portSpace.code()).stream()
                .map(info -> new CmAddressInfo(info.source(), info.destination()))
                .toList();
    }

    /**
     * Waits for an event, a {@link #wake} or {@link #close}.
     *
     * @param timeoutMillis longest wait in milliseconds; 0 does not wait, -1 waits without limit
     * @return whether {@link #take} has an event to take
     * @throws IllegalStateException if closed before the call
     */
    public boolean await(int timeoutMillis) {
        reader.lock();
        try {
            return cm.pollEventChannel(handle(), timeoutMillis);
        } finally {
            reader.unlock();
        }
    }

    /** Ends the current {@link #await}, or else the next one. At most one wake-up is remembered. Any thread. */
    public void wake() {
        long channel = handle();
        wake(() -> cm.wakeEventChannel(channel));
    }

    /**
     * Takes one event, {@code rdma_get_cm_event(3)}, and acknowledges it, {@code rdma_ack_cm_event(3)}. Does not block.
     *
     * @return the event, or null if there is none
     * @throws IllegalStateException if closed
     */
    public @Nullable CmEvent take() {
        CmEvent event;
        lock.lock();
        try {
            do {
                CmEventEntry entry = cm.getCmEvent(handle());
                if (entry == null) {
                    return null;
                }
                event = event(entry);
            } while (event == null);
        } finally {
            lock.unlock();
        }
        event.identifier().happened(event);
        return event;
    }

    /**
     * Converts an entry of C to an event.
     *
     * @return the event; null if its identifier, or for a request its listener, was closed
     */
    private @Nullable CmEvent event(CmEventEntry entry) {
        if (entry.event() != CmEventType.CONNECT_REQUEST.code()) {
            CmIdentifier about = identifiers.get(entry.id());
            return about == null ? null : new CmEvent(entry, about, null);
        }
        CmIdentifier listener = identifiers.get(entry.listenId());
        if (listener == null) {
            cm.destroyId(entry.id());
            return null;
        }
        return new CmEvent(entry, adopted(entry.id(), listener.portSpace()), listener);
    }

    @Override
    void destroy(long channel) {
        lock.lock();
        try {
            if (!identifiers.isEmpty()) {
                throw new VerbsException(
                        "rdma_destroy_event_channel",
                        Errno.EBUSY,
                        identifiers.size() + " identifiers of the channel are open: close or migrate them first");
            }
        } finally {
            lock.unlock();
        }
        wake(() -> cm.wakeEventChannel(channel));
        reader.lock();
        try {
            cm.destroyEventChannel(channel);
        } finally {
            reader.unlock();
        }
    }
}
